import type { Point } from "../../rules/great-circle.ts";

/** Cells of five degrees; a circle that touches more of them than this counts as one that may be anywhere. */
const cellDegrees = 5;
const maxCells = 64;
const cellsAround = 360 / cellDegrees;
/** One past the highest cell: the north pole itself has a row of its own. */
const cellCount = (180 / cellDegrees + 1) * cellsAround;
/** In place of the cells of a circle that touches too many. */
export const anyCell = cellCount;
/** Below the length of a degree of latitude and above one, so that a circle's cells are too many rather than too few. */
const kmPerDegree = 111.1;
const slackDegrees = 0.01;

/** The cell that the point lies in; latitudes beyond the poles count as the poles, longitudes go round. */
export function cellOf({ lat, lng }: Point): number {
  return cellAt(rowOf(lat), columnOf(lng));
}

/**
 * Cells that together contain every point within the circle, edge included; null when they are too many. A superset: who
 * is in one of them still has to be measured.
 */
export function cellsOfCircle(center: Point, radiusKm: number): number[] | null {
  const latReach = radiusKm / kmPerDegree + slackDegrees;
  const south = center.lat - latReach;
  const north = center.lat + latReach;
  const furthest = Math.max(Math.abs(south), Math.abs(north));
  // A circle near a pole goes round it; elsewhere meridians stand closest where it reaches furthest from the equator.
  const lngReach = furthest >= 89 ? 180 : latReach / Math.cos((furthest * Math.PI) / 180) + slackDegrees;
  const rows = rowOf(north) - rowOf(south) + 1;
  const firstColumn = Math.floor((center.lng - lngReach) / cellDegrees);
  const lastColumn = Math.floor((center.lng + lngReach) / cellDegrees);
  const columns = Math.min(lastColumn - firstColumn + 1, cellsAround);
  if (!(rows * columns <= maxCells)) return null;
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
