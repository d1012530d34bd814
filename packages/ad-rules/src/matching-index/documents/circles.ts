import { isInCircle, type Place } from "../../rules/geo.ts";
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

/** A ball in space. A circle on the unit sphere is what lies in a ball around its centre, and encloses no halves. */
interface Ball {
  center: UnitVector;
  radius: number;
  content: Circle | [Ball, Ball];
}

/** More than the tolerance of `isInCircle` at the edge, and than the rounding errors of balls and distances. */
const CHORD_TOLERANCE = 1e-9;
/** In place of a square below which a point is inside: no point is, only because it is in this ball. */
const never = -1;
/**
 * Numbers of a ball: its centre, the squared distances beyond which a point is outside and below which it is inside, and
 * how many numbers the ball and all that it encloses have.
 */
const BALL_LENGTH = 6;

/**
 * The circles as numbers for `isInCircles`: a tree of balls, each around half of the circles in the one before, so that
 * many circles elsewhere cost little more than one.
 */
export function packedCircles(circles: readonly Circle[]): number[] {
  return circles.length === 0 ? [] : packedBall(enclosing(circles.map(ballOf)));
}

function packedBall({ center, radius, content }: Ball): number[] {
  const outside = (radius + CHORD_TOLERANCE) ** 2;
  const isHalved = Array.isArray(content);
  const inside = isHalved ? never : Math.max(0, radius - CHORD_TOLERANCE) ** 2;
  const enclosed = isHalved
    ? content.flatMap(packedBall)
    : [content.center.lat, content.center.lng, content.radiusKm];
  return [...center, outside, inside, BALL_LENGTH + enclosed.length, ...enclosed];
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
    if (!isOutside && inside === never) {
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
  const spreads = [0, 1, 2].map((axis) => {
    const along = balls.map(({ center }) => center[axis] ?? 0);
    return Math.max(...along) - Math.min(...along);
  });
  const axis = spreads.indexOf(Math.max(...spreads));
  const sorted = balls.toSorted((one, other) => (one.center[axis] ?? 0) - (other.center[axis] ?? 0));
  const middle = sorted.length >>> 1;
  return around(enclosing(sorted.slice(0, middle)), enclosing(sorted.slice(middle)));
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
