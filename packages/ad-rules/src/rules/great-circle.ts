/** Mean radius of the Earth (docs/behaviour.md#numbers). */
const earthRadiusKm = 6371.0088;
const radiansPerDegree = Math.PI / 180;

/** A point in degrees. */
export interface Point {
  lat: number;
  lng: number;
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
