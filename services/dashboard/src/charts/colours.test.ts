import { describe, expect, it } from "@jest/globals";
import { REASON_NAMES, reasonAdvice } from "../areas/games/reason-advice.ts";
import { type ColorToken, tokens } from "../theme/tokens.ts";
import { STROKES } from "./chart-data.ts";

type Colour = readonly [number, number, number];

/** What people see of linear RGB, by Machado, Oliveira and Fernandes (2009). */
const SIGHTS: Record<string, readonly Colour[]> = {
  "full colour sight": [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.1523, 1.0526, -0.2049],
    [0.1145, 0.7863, 0.0992],
    [-0.0039, -0.0481, 1.052],
  ],
  deuteranopia: [
    [0.3673, 0.8606, -0.228],
    [0.2801, 0.6725, 0.0474],
    [-0.0118, 0.0429, 0.9689],
  ],
};
/** In CIELAB, where 2 is just noticeable side by side. */
const MIN_DISTANCE = 25;
const MIN_CONTRAST = 3;

const dot = (one: Colour, other: Colour) => one[0] * other[0] + one[1] * other[1] + one[2] * other[2];

function linear(hex: string): Colour {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return [red, green, blue];
}

const luminance = (hex: string) => dot([0.2126, 0.7152, 0.0722], linear(hex));

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function lab(hex: string, sight: readonly Colour[]): Colour {
  const [red = 0, green = 0, blue = 0] = sight.map((row) => Math.min(1, Math.max(0, dot(row, linear(hex)))));
  const seen: Colour = [red, green, blue];
  const root = (share: number) => (share > 0.008856 ? Math.cbrt(share) : 7.787 * share + 16 / 116);
  const x = root(dot([0.4124, 0.3576, 0.1805], seen) / 0.9505);
  const y = root(dot([0.2126, 0.7152, 0.0722], seen));
  const z = root(dot([0.0193, 0.1192, 0.9505], seen) / 1.0888);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function distance(one: string, other: string, sight: readonly Colour[]): number {
  const [from, to] = [lab(one, sight), lab(other, sight)];
  return Math.hypot(from[0] - to[0], from[1] - to[1], from[2] - to[2]);
}

const tokenOf = (stroke: string) => stroke.replace(/^var\(--(.*)\)$/, "$1") as ColorToken;

describe.each([
  ["light", 0],
  ["dark", 1],
] as const)("the colours of the %s charts", (_name, scheme) => {
  it.each(Object.values(STROKES))("show a line of %s on its surface", (stroke) => {
    expect(contrast(tokens[tokenOf(stroke)][scheme], tokens.surface[scheme])).toBeGreaterThan(MIN_CONTRAST);
  });

  it.each(Object.entries(SIGHTS))("tell reasons that are stacked apart, with %s", (_sight, matrix) => {
    const colours = REASON_NAMES.map((name) => tokens[tokenOf(STROKES[reasonAdvice(name).role])][scheme]);
    const near = colours.flatMap((colour, index) => {
      const next = colours[index + 1];
      return next !== undefined && distance(colour, next, matrix) < MIN_DISTANCE ? [[colour, next]] : [];
    });
    expect(near).toEqual([]);
  });
});
