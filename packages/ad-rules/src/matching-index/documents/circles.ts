import { type GeoRules, isInCircle, type Place } from "../../rules/geo.ts";
import type { Point } from "../../rules/great-circle.ts";

type Circle = Extract<Place, { type: "radius" }>;

interface CampaignCircles {
  /** The number of the record's places that are not cells of circles; they come first. */
  areas: number;
  includes: readonly Circle[];
  excludes: readonly Circle[];
}

/** The circles of campaigns by document id, for the exact test: an active cell only says that a circle may match. */
export class Circles {
  readonly #byDocument = new Map<number, CampaignCircles>();

  /** @param areas number of the record's places that are not cells of circles; they come first */
  put(documentId: number, { includes, excludes }: GeoRules, areas: number): void {
    const circles = { areas, includes: includes.filter(isCircle), excludes: excludes.filter(isCircle) };
    this.#byDocument.set(documentId, circles);
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

/** Whether the point is in any of the circles; false without a point. */
export function isInAny(circles: readonly Circle[], point: Point | null): boolean {
  return point !== null && circles.some(({ center, radiusKm }) => isInCircle(center, radiusKm, point));
}

function isCircle(place: Place): place is Circle {
  return place.type === "radius";
}
