import { type GeoRules, isInCircle, type Place } from "../../rules/geo.ts";
import { chordOf, type Point, type UnitVector, unitVector } from "../../rules/great-circle.ts";

type Circle = Extract<Place, { type: "radius" }>;

/** A player's point, prepared for many circles. */
export interface PreparedPoint {
  point: Point;
  vector: UnitVector;
}

export function preparePoint(point: Point | null): PreparedPoint | null {
  return point === null ? null : { point, vector: unitVector(point) };
}

/** A ball in space, of one circle (what lies on the unit sphere in a ball around its centre) or of two other balls. */
interface Ball {
  center: UnitVector;
  radius: number;
  content: Circle | [Ball, Ball];
}

/** More than the tolerance of `isInCircle` at the edge, and than the rounding errors of balls and distances. */
const CHORD_TOLERANCE = 1e-9;
/** In place of the square below which a point is inside: the ball encloses two others. */
const enclosesTwo = -1;
/**
 * Numbers of a ball: its centre, the squared distances beyond which a point is outside and below which it is inside, and
 * how many numbers the ball and all that it encloses have.
 */
const BALL_LENGTH = 6;

/** A campaign's circles as numbers: how many the excluded ones have, these, and the included ones; none without circles. */
export function circlesOf({ excludes, includes }: GeoRules): number[] {
  const excluded = packedCircles(excludes.filter(isCircle));
  const included = packedCircles(includes.filter(isCircle));
  return excluded.length + included.length === 0 ? [] : [excluded.length, ...excluded, ...included];
}

/**
 * The circles as numbers for `isInCircles`: a tree of balls, each around half of the circles in the one before, so that
 * many circles elsewhere cost little more than one.
 */
export function packedCircles(circles: readonly Circle[]): number[] {
  const numbers: number[] = [];
  if (circles.length > 0) pack(enclosing(circles.map(ballOf)), numbers);
  return numbers;
}

function pack({ center, radius, content }: Ball, numbers: number[]): void {
  const from = numbers.length;
  const isHalved = Array.isArray(content);
  const inside = isHalved ? enclosesTwo : Math.max(0, radius - CHORD_TOLERANCE) ** 2;
  numbers.push(center[0], center[1], center[2], (radius + CHORD_TOLERANCE) ** 2, inside, 0);
  if (isHalved) for (const half of content) pack(half, numbers);
  else numbers.push(content.center.lat, content.center.lng, content.radiusKm);
  numbers[from + BALL_LENGTH - 1] = numbers.length - from;
}

/**
 * Whether the point is in any of the circles packed in [`from`, `to`); false without a point. Only a point at an edge,
 * within millimetres, costs the measuring of a great-circle distance.
 */
export function isInCircles(
  numbers: Float64Array,
  from: number,
  to: number,
  prepared: PreparedPoint | null,
): boolean {
  if (prepared === null) return false;
  const { point, vector } = prepared;
  let at = from;
  while (at < to) {
    const x = (numbers[at] ?? 0) - vector[0];
    const y = (numbers[at + 1] ?? 0) - vector[1];
    const z = (numbers[at + 2] ?? 0) - vector[2];
    const square = x * x + y * y + z * z;
    const isOutside = square > (numbers[at + 3] ?? 0);
    const inside = numbers[at + 4] ?? 0;
    if (!isOutside && inside === enclosesTwo) {
      at += BALL_LENGTH;
      continue;
    }
    if (!isOutside && (square < inside || isInCircleAt(numbers, at + BALL_LENGTH, point))) return true;
    at += numbers[at + 5] ?? 0;
  }
  return false;
}

function isInCircleAt(numbers: Float64Array, at: number, point: Point): boolean {
  const center = { lat: numbers[at] ?? 0, lng: numbers[at + 1] ?? 0 };
  return isInCircle(center, numbers[at + 2] ?? 0, point);
}

function ballOf(circle: Circle): Ball {
  return { center: unitVector(circle.center), radius: chordOf(circle.radiusKm), content: circle };
}

/** A tree of the balls, halved along the axis on which their centres are furthest apart. */
function enclosing(balls: readonly Ball[]): Ball {
  const [first] = balls;
  if (first !== undefined && balls.length === 1) return first;
  const axis = widestAxis(balls);
  const sorted = balls.toSorted((one, other) => (one.center[axis] ?? 0) - (other.center[axis] ?? 0));
  const middle = sorted.length >>> 1;
  return around(enclosing(sorted.slice(0, middle)), enclosing(sorted.slice(middle)));
}

/** The axis on which their centres are furthest apart. */
function widestAxis(balls: readonly Ball[]): number {
  let [widest, spread] = [0, -1];
  for (let axis = 0; axis < 3; axis += 1) {
    let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const { center } of balls) {
      const along = center[axis] ?? 0;
      if (along < least) least = along;
      if (along > most) most = along;
    }
    if (most - least > spread) [widest, spread] = [axis, most - least];
  }
  return widest;
}

/** The smallest ball that encloses two. */
function around(one: Ball, other: Ball): Ball {
  const [x, y, z] = one.center;
  const [byX, byY, byZ] = [other.center[0] - x, other.center[1] - y, other.center[2] - z];
  const apart = Math.hypot(byX, byY, byZ);
  const radius = (apart + one.radius + other.radius) / 2;
  const larger = one.radius > other.radius ? one : other;
  // The larger one encloses the other.
  if (radius <= larger.radius) return { ...larger, content: [one, other] };
  const share = (radius - one.radius) / apart;
  return { center: [x + byX * share, y + byY * share, z + byZ * share], radius, content: [one, other] };
}

export function isCircle(place: Place): place is Circle {
  return place.type === "radius";
}
