import type { Point } from "../../rules/great-circle.ts";

const cellDegrees = 5;
/** Circles of a campaign that touch more cells than this are indexed under `anyCell` instead. */
const MAX_CELLS = 64;
const cellsAround = 360 / cellDegrees;
/** One past the highest cell; the north pole has a row of its own. */
const cellCount = (180 / cellDegrees + 1) * cellsAround;
/** The cell of circles that touch too many others; every point is in it. */
export const anyCell = cellCount;
/** Slightly below the length of a degree of latitude, so that the cells of a circle are a superset. */
const kmPerDegree = 111.1;
const slackDegrees = 0.01;

/** The cell of a point. Latitudes are clamped at the poles; longitudes wrap around. */
export function cellOf({ lat, lng }: Point): number {
  return cellAt(rowOf(lat), columnOf(lng));
}

/** Cells that cover the circles, edges included. A superset: the caller must still measure the distance. */
export function cellsOfCircles(circles: readonly { center: Point; radiusKm: number }[]): number[] {
  const cells = new Set<number>();
  for (const { center, radiusKm } of circles) {
    for (const cell of cellsOfCircle(center, radiusKm)) cells.add(cell);
    if (cells.size > MAX_CELLS) return [anyCell];
  }
  return [...cells];
}

function cellsOfCircle(center: Point, radiusKm: number): number[] {
  const latReach = radiusKm / kmPerDegree + slackDegrees;
  const south = center.lat - latReach;
  const north = center.lat + latReach;
  const furthest = Math.max(Math.abs(south), Math.abs(north));
  // A circle near a pole spans all longitudes; elsewhere meridians are closest at its largest latitude.
  const lngReach = furthest >= 89 ? 180 : latReach / Math.cos((furthest * Math.PI) / 180) + slackDegrees;
  const rows = rowOf(north) - rowOf(south) + 1;
  const firstColumn = Math.floor((center.lng - lngReach) / cellDegrees);
  const lastColumn = Math.floor((center.lng + lngReach) / cellDegrees);
  const columns = Math.min(lastColumn - firstColumn + 1, cellsAround);
  if (!(rows * columns <= MAX_CELLS)) return [anyCell];
  const cells: number[] = [];
  for (let row = rowOf(south); row <= rowOf(north); row += 1) {
    for (let column = 0; column < columns; column += 1)
      cells.push(cellAt(row, wrapped(firstColumn + column)));
  }
  return cells;
}

function cellAt(row: number, column: number): number {
  return row * cellsAround + column;
}

function rowOf(lat: number): number {
  return Math.floor((Math.min(90, Math.max(-90, lat)) + 90) / cellDegrees);
}

function columnOf(lng: number): number {
  return wrapped(Math.floor(lng / cellDegrees));
}

function wrapped(column: number): number {
  return ((column % cellsAround) + cellsAround) % cellsAround;
}
