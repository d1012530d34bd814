import { geoCircle, geoEqualEarth, geoPath } from "d3-geo";
import type { FeatureCollection } from "geojson";
import { iso31661 } from "iso-3166";
import { type PointerEvent, useMemo, useRef } from "react";
import { feature } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import atlas from "world-atlas/countries-110m.json";
import { countryName } from "../format/countries.ts";
import classes from "./world-map.module.css";

const WIDTH = 960;
const HEIGHT = 460;
const KM_PER_DEGREE = 111.195;
/** How far an arrow key moves the centre, in degrees. */
const KEY_STEP = 1;

const topology = atlas as unknown as Topology<{ countries: GeometryCollection<{ name: string }> }>;
const countries: FeatureCollection<GeoJSON.Geometry, { name: string }> = feature(
  topology,
  topology.objects.countries,
);
const codeByNumber = new Map(iso31661.map(({ numeric, alpha2 }) => [numeric, alpha2]));
/** Everywhere but Antarctica, where nobody plays: it would take a third of the picture. */
const inhabited = countries.features.filter(({ id }) => String(id) !== "010");
const projection = geoEqualEarth().fitSize([WIDTH, HEIGHT], {
  type: "FeatureCollection",
  features: inhabited,
});
const path = geoPath(projection);

const shapes = inhabited.map((country) => ({
  code: codeByNumber.get(String(country.id)),
  name: country.properties.name,
  outline: path(country) ?? "",
}));

export interface Circle {
  lat: number;
  lng: number;
  radiusKm: number;
  isExcluded?: boolean;
}

interface WorldMapProps {
  /** What a screen reader says; the numbers themselves are in a table. */
  label: string;
  /** Countries by code, from 0 (palest) to 1. */
  shares?: ReadonlyMap<string, number>;
  /** What a country shows on hover. */
  describe?: (code: string) => string | undefined;
  included?: ReadonlySet<string>;
  excluded?: ReadonlySet<string>;
  circles?: readonly Circle[];
  /** A circle that can be moved. */
  draft?: Circle | undefined;
  onMove?: (place: { lat: number; lng: number }) => void;
  onChooseCountry?: (code: string) => void;
}

/** The world, without a request to anybody. */
export default function WorldMap(props: WorldMapProps) {
  const { label, shares, describe, included, excluded, circles = [], draft, onMove, onChooseCountry } = props;
  const svg = useRef<SVGSVGElement>(null);
  const isDragging = useRef(false);
  const drawn = useMemo(
    () =>
      circles.map((circle) => ({
        key: `${circle.lat} ${circle.lng} ${circle.radiusKm}`,
        isExcluded: circle.isExcluded === true,
        outline: outlineOf(circle),
      })),
    [circles],
  );
  const move = (event: PointerEvent) => {
    const frame = svg.current?.getBoundingClientRect();
    if (!isDragging.current || frame === undefined) return;
    const point = projection.invert?.([
      within((event.clientX - frame.left) / frame.width) * WIDTH,
      within((event.clientY - frame.top) / frame.height) * HEIGHT,
    ]);
    if (point) onMove?.(rounded({ lng: point[0], lat: point[1] }));
  };
  const endDrag = () => {
    isDragging.current = false;
  };
  const centre = draft && projection([draft.lng, draft.lat]);
  return (
    <svg
      ref={svg}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      className={classes.map}
      role={onMove ? "group" : "img"}
      aria-label={label}
    >
      {shapes.map(({ code, name, outline }) => {
        const share = code === undefined ? undefined : shares?.get(code);
        const state =
          code === undefined
            ? undefined
            : excluded?.has(code)
              ? "excluded"
              : included?.has(code)
                ? "included"
                : undefined;
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: the list of countries below does the same by keyboard
          <path
            key={name}
            d={outline}
            className={classes.country}
            data-state={share !== undefined && share > 0 ? "shaded" : state}
            style={share !== undefined && share > 0 ? { fillOpacity: 0.2 + 0.8 * share } : undefined}
            onClick={code === undefined || !onChooseCountry ? undefined : () => onChooseCountry(code)}
          >
            <title>{(code && (describe?.(code) ?? countryName(code))) || name}</title>
          </path>
        );
      })}
      {drawn.map(({ key, outline, isExcluded }) => (
        <path
          key={key}
          d={outline}
          className={classes.circle}
          data-state={isExcluded ? "excluded" : "included"}
        />
      ))}
      {draft && centre && (
        <>
          <path d={outlineOf(draft)} className={classes.circle} data-state="draft" />
          <circle
            cx={centre[0]}
            cy={centre[1]}
            r="8"
            className={classes.handle}
            tabIndex={0}
            role="slider"
            aria-label="Centre of the circle; move it with the arrow keys"
            aria-valuetext={`latitude ${draft.lat}, longitude ${draft.lng}`}
            aria-valuenow={draft.lat}
            onPointerDown={(event) => {
              isDragging.current = true;
              event.currentTarget.setPointerCapture(event.pointerId);
              event.preventDefault();
            }}
            onPointerMove={move}
            onPointerUp={endDrag}
            onPointerCancel={endDrag}
            onLostPointerCapture={endDrag}
            onKeyDown={(event) => {
              const step = STEPS[event.key];
              if (step === undefined) return;
              event.preventDefault();
              onMove?.(
                rounded({
                  lat: Math.min(90, Math.max(-90, draft.lat + step[1] * KEY_STEP)),
                  lng: ((draft.lng + step[0] * KEY_STEP + 540) % 360) - 180,
                }),
              );
            }}
          />
        </>
      )}
    </svg>
  );
}

const STEPS: Record<string, readonly [lng: number, lat: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

function outlineOf({ lat, lng, radiusKm }: Circle): string {
  const radius = Math.min(179.9, radiusKm / KM_PER_DEGREE);
  return path(geoCircle().center([lng, lat]).radius(radius)()) ?? "";
}

/** A captured pointer may be outside of the map. */
function within(share: number): number {
  return Math.min(1, Math.max(0, share));
}

function rounded({ lat, lng }: { lat: number; lng: number }): { lat: number; lng: number } {
  return { lat: Math.round(lat * 1_000) / 1_000, lng: Math.round(lng * 1_000) / 1_000 };
}
