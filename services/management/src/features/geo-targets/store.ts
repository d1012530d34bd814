import { contradictingGeoTarget, type GeoTargetCreate, newId } from "@diegetic/contracts";
import type { PartOwner } from "../../core/campaign-rows/campaign.ts";
import { type GeoTarget, isSamePlace, placeOf } from "../../core/campaign-rows/geo-target.ts";

export const isIncluded = (request: GeoTargetCreate) => request.include ?? true;

export function newGeoTarget(owner: PartOwner, request: GeoTargetCreate, nowMs: number): GeoTarget {
  return {
    id: newId("geo", nowMs),
    campaignId: owner.id,
    ...placeOf(request),
    include: isIncluded(request),
    createdAt: new Date(nowMs),
  };
}

/** Throws 422 when the campaign both includes and excludes the place (docs/behaviour.md#rule-4-geo). */
export function requireNoContradiction(existing: readonly GeoTarget[], request: GeoTargetCreate): void {
  const include = isIncluded(request);
  const place = placeOf(request);
  const other = existing.find((target) => target.include !== include && isSamePlace(target, place));
  if (other === undefined) return;
  throw contradictingGeoTarget.error(include, other.id);
}
