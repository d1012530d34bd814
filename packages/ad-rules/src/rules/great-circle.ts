import type { PlayerGeo } from "../types/request.ts";

/** Mean radius of the Earth (docs/behaviour.md#numbers). */
const earthRadiusKm = 6371.0088;
const radiansPerDegree = Math.PI / 180;

/** A point in degrees. */
export interface Point {
  lat: number;
  lng: number;
}

/** The player's point; null unless both `lat` and `lng` are given. */
export function pointOf(geo: PlayerGeo | null | undefined): Point | null {
  const { lat, lng } = geo ?? {};
  return typeof lat === "number" && typeof lng === "number" ? { lat, lng } : null;
}

/** A point on the unit sphere. */
export type UnitVector = readonly [x: number, y: number, z: number];

export function unitVector({ lat, lng }: Point): UnitVector {
  const [phi, lambda] = [lat * radiansPerDegree, lng * radiansPerDegree];
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)];
}

/** Length of the chord between two points of the unit sphere that are `km` apart on the Earth's surface. */
export function chordOf(km: number): number {
  return 2 * Math.sin(Math.min(Math.PI, km / earthRadiusKm) / 2);
}

/** Great-circle distance by the haversine formula, in kilometres. */
export function greatCircleKm(from: Point, to: Point): number {
  const sinHalfLat = Math.sin(((to.lat - from.lat) * radiansPerDegree) / 2);
  const sinHalfLng = Math.sin(((to.lng - from.lng) * radiansPerDegree) / 2);
  const haversine =
    sinHalfLat ** 2 +
    Math.cos(from.lat * radiansPerDegree) * Math.cos(to.lat * radiansPerDegree) * sinHalfLng ** 2;
  return 2 * earthRadiusKm * Math.asin(Math.sqrt(Math.min(1, haversine)));
}
