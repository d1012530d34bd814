import { type GeoRules, isInCircle, type Place } from "../../rules/geo.ts";
import { chordOf, type Point, type UnitVector, unitVector } from "../../rules/great-circle.ts";

type Circle = Extract<Place, { type: "radius" }>;

interface CampaignCircles {
  /** The number of the record's places that are not cells of circles; they come first. */
  areas: number;
  includes: CircleSet;
  excludes: CircleSet;
}

/** The circles of campaigns by document id, for the exact test: an active cell only says that a circle may match. */
export class Circles {
  readonly #byDocument = new Map<number, CampaignCircles>();

  /** @param areas number of the record's places that are not cells of circles; they come first */
  put(documentId: number, geo: GeoRules, areas: number): void {
    const includes = new CircleSet(geo.includes.filter(isCircle));
    const excludes = new CircleSet(geo.excludes.filter(isCircle));
    this.#byDocument.set(documentId, { areas, includes, excludes });
  }

  /** Ignores documents without circles. */
  remove(documentId: number): void {
    this.#byDocument.delete(documentId);
  }

  /** Throws when the document has no circles. */
  of(documentId: number): CampaignCircles {
    const circles = this.#byDocument.get(documentId);
    if (circles === undefined) throw new RangeError(`document ${documentId} has no circles`);
    return circles;
  }
}

/** A player's point, prepared for many circles. */
export interface PreparedPoint {
  point: Point;
  vector: UnitVector;
}

export function preparePoint(point: Point | null): PreparedPoint | null {
  return point === null ? null : { point, vector: unitVector(point) };
}

/** More than the tolerance of `isInCircle` at the edge, and than the rounding errors of chords and distances. */
const CHORD_TOLERANCE = 1e-9;
/** Of a circle: the vector of its centre, and the squared chords up to which a point is inside, and beyond which it is outside. */
const NUMBERS_PER_CIRCLE = 5;

/** Circles of a campaign. Only a point at an edge, within millimetres, costs the measuring of a great-circle distance. */
export class CircleSet {
  readonly #circles: readonly Circle[];
  readonly #numbers: Float64Array;

  constructor(circles: readonly Circle[]) {
    this.#circles = circles;
    this.#numbers = Float64Array.from(
      circles.flatMap(({ center, radiusKm }) => {
        const chord = chordOf(radiusKm);
        const inside = Math.max(0, chord - CHORD_TOLERANCE);
        return [...unitVector(center), inside ** 2, (chord + CHORD_TOLERANCE) ** 2];
      }),
    );
  }

  /** Whether the point is in any of the circles; false without a point. */
  has(prepared: PreparedPoint | null): boolean {
    if (prepared === null) return false;
    const { point, vector } = prepared;
    const numbers = this.#numbers;
    for (let at = 0; at < numbers.length; at += NUMBERS_PER_CIRCLE) {
      const x = (numbers[at] ?? 0) - vector[0];
      const y = (numbers[at + 1] ?? 0) - vector[1];
      const z = (numbers[at + 2] ?? 0) - vector[2];
      const square = x * x + y * y + z * z;
      if (square > (numbers[at + 4] ?? 0)) continue;
      if (square < (numbers[at + 3] ?? 0)) return true;
      const circle = this.#circles[at / NUMBERS_PER_CIRCLE];
      if (circle !== undefined && isInCircle(circle.center, circle.radiusKm, point)) return true;
    }
    return false;
  }
}

export function isCircle(place: Place): place is Circle {
  return place.type === "radius";
}
