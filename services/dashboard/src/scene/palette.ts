import type { Light, Place } from "./vocabulary.ts";

/** The colours of one stage, far to near. */
export interface Palette {
  skyTop: string;
  skyLow: string;
  far: string;
  mid: string;
  near: string;
  front: string;
  /** Windows, flames, signs. */
  glow: string;
  figure: string;
}

const PALETTES: Record<Light, Palette> = {
  warm: {
    skyTop: "#3B2A2E",
    skyLow: "#C9814A",
    far: "#8A5440",
    mid: "#663C33",
    near: "#452A28",
    front: "#2A1B1D",
    glow: "#FFD08A",
    figure: "#1D1315",
  },
  candle: {
    skyTop: "#1B1417",
    skyLow: "#7A4526",
    far: "#5A3424",
    mid: "#41261D",
    near: "#2B1A17",
    front: "#190F10",
    glow: "#FFBE5C",
    figure: "#120A0B",
  },
  moon: {
    skyTop: "#0E1730",
    skyLow: "#3B527E",
    far: "#2E4067",
    mid: "#22304F",
    near: "#172239",
    front: "#0D1424",
    glow: "#E8EEFF",
    figure: "#090E1A",
  },
  gold: {
    skyTop: "#E9A65B",
    skyLow: "#FBE3B2",
    far: "#D9A066",
    mid: "#AD7346",
    near: "#774A32",
    front: "#472C24",
    glow: "#FFF3D1",
    figure: "#2E1C18",
  },
  dusk: {
    skyTop: "#3A2450",
    skyLow: "#E07A5F",
    far: "#8C4A66",
    mid: "#643557",
    near: "#432543",
    front: "#271729",
    glow: "#FFC38A",
    figure: "#1A0E1D",
  },
  day: {
    skyTop: "#8FBCDD",
    skyLow: "#EAF1EC",
    far: "#A9BFC0",
    mid: "#7C9A94",
    near: "#54736B",
    front: "#30463F",
    glow: "#FFF9E0",
    figure: "#1E2D29",
  },
  dim: {
    skyTop: "#131418",
    skyLow: "#34353D",
    far: "#2B2C34",
    mid: "#212229",
    near: "#18191F",
    front: "#0E0F13",
    glow: "#B79A6B",
    figure: "#08090B",
  },
  neon: {
    skyTop: "#140B2B",
    skyLow: "#8B1E7A",
    far: "#4A1A68",
    mid: "#32124D",
    near: "#1F0B35",
    front: "#110620",
    glow: "#37F0E0",
    figure: "#0A0314",
  },
  cold: {
    skyTop: "#4E6B85",
    skyLow: "#C9DAE4",
    far: "#93ABBD",
    mid: "#67839A",
    near: "#435D74",
    front: "#26394B",
    glow: "#F3FBFF",
    figure: "#172533",
  },
  eerie: {
    skyTop: "#0D1A16",
    skyLow: "#4C7A54",
    far: "#34573F",
    mid: "#264131",
    near: "#192D23",
    front: "#0E1A15",
    glow: "#C9F7A0",
    figure: "#08110D",
  },
};

/** The light that a place has when nobody asks for another. */
const USUAL: Record<Place, Light> = {
  tavern: "warm",
  forest: "day",
  castle: "dusk",
  city: "dusk",
  harbour: "cold",
  dungeon: "dim",
  mountains: "cold",
  desert: "gold",
  space: "moon",
  road: "gold",
  interior: "warm",
};

export function paletteOf(place: Place | undefined, light: Light | undefined): Palette {
  return PALETTES[light ?? (place === undefined ? "dusk" : USUAL[place])];
}
