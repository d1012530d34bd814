import { Button } from "@mantine/core";
import { geoEqualEarth, geoPath } from "d3-geo";
import { type CSSProperties, useId, useMemo, useRef, useState } from "react";
import { countryName } from "../format/countries.ts";
import { type Circle, circleShape } from "./circle.ts";
import { codeOf, inhabited } from "./country-shapes.ts";
import classes from "./world-map.module.css";

const WIDTH = 960;
const HEIGHT = 460;
/** How far an arrow key moves the centre while the whole world is shown, in degrees. */
const KEY_STEP = 1;
const DOT_RADIUS = 8;
/** How much of the height of the map a circle takes once it is zoomed to. */
const ZOOMED_SHARE = 0.5;
const MIN_ZOOMED_HEIGHT = 8;

const projection = geoEqualEarth().fitSize([WIDTH, HEIGHT], {
  type: "FeatureCollection",
  features: inhabited,
});
const path = geoPath(projection);

const shapes = inhabited.map((country) => ({
  code: codeOf(country),
  name: country.properties.name,
  outline: path(country) ?? "",
}));

export interface ShownCircle extends Circle {
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
  circles?: readonly ShownCircle[];
  /** A circle that can be moved. */
  draft?: Circle | undefined;
  /** The map was clicked, or the circle was moved. */
  onMove?: (place: { lat: number; lng: number }) => void;
  onChooseCountry?: (code: string) => void;
}

/** The world, without a request to anybody. */
export default function WorldMap(props: WorldMapProps) {
  const { label, shares, describe, included, excluded, circles = [], draft, onMove, onChooseCountry } = props;
  const svg = useRef<SVGSVGElement>(null);
  const hatchingId = useId();
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
  // It stays where it was when the circle moves: the map must not run away below the pointer.
  const [zoomed, setZoomed] = useState<View>();
  const view = (draft && zoomed) ?? WORLD;
  const scale = view.width / WIDTH;
  const moveTo = (event: { clientX: number; clientY: number }) => {
    const frame = svg.current?.getBoundingClientRect();
    if (frame === undefined) return;
    const place = placeAt(
      view.x + within((event.clientX - frame.left) / frame.width) * view.width,
      view.y + within((event.clientY - frame.top) / frame.height) * view.height,
    );
    if (place) onMove?.(rounded(place));
  };
  const endDrag = () => {
    isDragging.current = false;
  };
  const centre = draft && projection([draft.lng, draft.lat]);
  const map = (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the handle takes the arrow keys
    <svg
      ref={svg}
      viewBox={`${view.x} ${view.y} ${view.width} ${view.height}`}
      className={classes.map}
      style={{ "--excluded": `url(#${hatchingId})` } as CSSProperties}
      role={onMove || onChooseCountry ? "group" : "img"}
      aria-label={label}
      onClick={onMove && moveTo}
    >
      <Hatching id={hatchingId} scale={scale} />
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
          <circle cx={centre[0]} cy={centre[1]} r={DOT_RADIUS * scale} className={classes.dot} />
          <circle
            cx={centre[0]}
            cy={centre[1]}
            r={DOT_RADIUS * scale}
            className={classes.handle}
            tabIndex={0}
            // ARIA has no role for two dimensions: the value is the latitude, the text names both.
            role="slider"
            aria-roledescription="two-dimensional slider"
            aria-label="Centre of the circle; move it with the arrow keys"
            aria-orientation="vertical"
            aria-valuemin={-90}
            aria-valuemax={90}
            aria-valuenow={draft.lat}
            aria-valuetext={`latitude ${draft.lat}, longitude ${draft.lng}`}
            onPointerDown={(event) => {
              isDragging.current = true;
              event.currentTarget.setPointerCapture(event.pointerId);
              event.preventDefault();
            }}
            onPointerMove={(event) => isDragging.current && moveTo(event)}
            onPointerUp={endDrag}
            onPointerCancel={endDrag}
            onLostPointerCapture={endDrag}
            onKeyDown={(event) => {
              const step = STEPS[event.key];
              if (step === undefined) return;
              event.preventDefault();
              onMove?.(
                rounded({
                  lat: Math.min(90, Math.max(-90, draft.lat + step[1] * KEY_STEP * scale)),
                  lng: ((draft.lng + step[0] * KEY_STEP * scale + 540) % 360) - 180,
                }),
              );
            }}
          />
        </>
      )}
    </svg>
  );
  const hasIncluded = isAny(included) || drawn.some(({ isExcluded }) => !isExcluded);
  const hasExcluded = isAny(excluded) || drawn.some(({ isExcluded }) => isExcluded);
  return (
    <>
      {map}
      {(hasIncluded || hasExcluded) && (
        <ul className={classes.key} aria-hidden="true">
          {hasIncluded && <li data-state="included">Shown there</li>}
          {hasExcluded && <li data-state="excluded">Never there</li>}
        </ul>
      )}
      {draft && (
        <Button
          variant="default"
          size="compact-sm"
          mt="xs"
          onClick={() => setZoomed(zoomed ? undefined : viewOf(draft))}
        >
          {zoomed ? "Show the whole world" : "Zoom to the circle"}
        </Button>
      )}
    </>
  );
}

function isAny(codes: ReadonlySet<string> | undefined): boolean {
  return codes !== undefined && codes.size > 0;
}

const HATCH_SIZE = 9;

/** Tells excluded places apart from included ones without their colours. */
function Hatching({ id, scale }: { id: string; scale: number }) {
  const size = HATCH_SIZE * scale;
  return (
    <pattern
      id={id}
      width={size}
      height={size}
      patternUnits="userSpaceOnUse"
      patternTransform="rotate(45)"
      className={classes.hatching}
    >
      <rect width={size} height={size} />
      <line x1={0} y1={0} x2={0} y2={size} strokeWidth={size} />
    </pattern>
  );
}

/** The part of the map that is shown. */
interface View {
  x: number;
  y: number;
  width: number;
  height: number;
}

const WORLD: View = { x: 0, y: 0, width: WIDTH, height: HEIGHT };

function viewOf(circle: Circle): View {
  const [[left, top], [right, bottom]] = path.bounds(circleShape(circle));
  const size = Math.max(bottom - top, ((right - left) * HEIGHT) / WIDTH) / ZOOMED_SHARE;
  const height = Math.min(HEIGHT, Math.max(MIN_ZOOMED_HEIGHT, size));
  const width = (height * WIDTH) / HEIGHT;
  return { x: (left + right - width) / 2, y: (top + bottom - height) / 2, width, height };
}

const STEPS: Record<string, readonly [lng: number, lat: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

/** The nearest place at the same height: beside the globe, one on its edge. */
function placeAt(x: number, y: number): { lat: number; lng: number } | undefined {
  const lat = projection.invert?.([WIDTH / 2, y])?.[1];
  if (lat === undefined || !Number.isFinite(lat)) return undefined;
  const [west, east] = [projection([-180, lat])?.[0], projection([180, lat])?.[0]];
  if (west === undefined || east === undefined) return undefined;
  // Along a parallel, the projection is linear.
  return { lat, lng: within((x - west) / (east - west)) * 360 - 180 };
}

function outlineOf(circle: Circle): string {
  return path(circleShape(circle)) ?? "";
}

/** A captured pointer may be outside of the map, or beside the globe. */
function within(share: number): number {
  return Math.min(1, Math.max(0, share));
}

function rounded({ lat, lng }: { lat: number; lng: number }): { lat: number; lng: number } {
  return { lat: Math.round(lat * 1_000) / 1_000, lng: Math.round(lng * 1_000) / 1_000 };
}
