import { geoBounds, geoCircle, geoContains } from "d3-geo";
import type { Geometry, Polygon, Position } from "geojson";

const KM_PER_DEGREE = 111.195;
const MAX_DEGREES = 179.9;
/** Where the area of a circle is looked at, as parts of its radius. */
const RINGS = [1, 0.6, 0.3];
const DEGREES_BETWEEN_SAMPLES = 15;

export interface Circle {
  lat: number;
  lng: number;
  radiusKm: number;
}

/** An area on the map; its code is undefined where it has none of its own. */
export interface CountryShape {
  code: string | undefined;
  geometry: Geometry;
  bounds: [southWest: Position, northEast: Position];
}

export function countryShape(code: string | undefined, geometry: Geometry): CountryShape {
  return { code, geometry, bounds: geoBounds(geometry) };
}

export function circleShape({ lat, lng, radiusKm }: Circle, degreesBetweenPoints = 6): Polygon {
  const radius = Math.min(MAX_DEGREES, radiusKm / KM_PER_DEGREE);
  return geoCircle().center([lng, lat]).radius(radius).precision(degreesBetweenPoints)();
}

/**
 * Whether a circle adds nothing to these countries: its centre is in one of them, and its area in no other country. The
 * sea belongs to nobody.
 */
export function isCircleWithin(
  circle: Circle,
  codes: ReadonlySet<string>,
  shapes: readonly CountryShape[],
): boolean {
  const isIn = (point: Position) => shapes.find((shape) => contains(shape, point));
  const home = isIn([circle.lng, circle.lat])?.code;
  if (home === undefined || !codes.has(home)) return false;
  const samples = RINGS.flatMap((part) =>
    circleShape({ ...circle, radiusKm: circle.radiusKm * part }, DEGREES_BETWEEN_SAMPLES).coordinates.flat(),
  );
  return samples.every((point) => {
    const country = isIn(point);
    return country === undefined || (country.code !== undefined && codes.has(country.code));
  });
}

function contains({ geometry, bounds: [southWest, northEast] }: CountryShape, point: Position): boolean {
  const [west = 0, south = 0] = southWest;
  const [east = 0, north = 0] = northEast;
  const [lng = 0, lat = 0] = point;
  if (lat < south || lat > north) return false;
  const isBetween = west <= east ? lng >= west && lng <= east : lng >= west || lng <= east;
  return isBetween && geoContains(geometry, [lng, lat]);
}
