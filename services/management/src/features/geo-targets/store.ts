import { contradictingGeoTarget, type GeoTargetCreate, newId } from "@diegetic/contracts";
import { type Database, Prisma } from "@diegetic/database";
import type { PartOwner } from "../../core/campaign-rows/campaign.ts";
import { type GeoTarget, isSamePlace, placeOf } from "../../core/campaign-rows/geo-target.ts";
import { type Paging, rowsOfPage } from "../../core/shared/paging.ts";

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

export function listGeoTargets(database: Database, campaignId: string, paging: Paging): Promise<GeoTarget[]> {
  return database.geoTarget.findMany(rowsOfPage({ campaignId }, paging));
}

/** Stores new targets. */
export function insertGeoTargets(targets: readonly GeoTarget[]): Prisma.Sql {
  const rows = targets.map((target) => ({
    id: target.id,
    campaign_id: target.campaignId,
    target_type: target.targetType,
    country_code: target.countryCode,
    state_code: target.stateCode,
    city_name: target.cityName,
    lat: target.lat,
    lng: target.lng,
    radius_km: target.radiusKm,
    include: target.include,
    created_at: target.createdAt,
  }));
  return Prisma.sql`
    INSERT INTO geo_targets (id, campaign_id, target_type, country_code, state_code, city_name, lat, lng, radius_km,
      include, created_at)
    SELECT id, campaign_id, target_type, country_code, state_code, city_name, lat, lng, radius_km, include, created_at
    FROM json_populate_recordset(NULL::geo_targets, ${JSON.stringify(rows)}::json)`;
}

export function deleteGeoTarget(id: string): Prisma.Sql {
  return Prisma.sql`DELETE FROM geo_targets WHERE id = ${id}`;
}

/** Throws 422 when the campaign both includes and excludes the place (docs/behaviour.md#rule-4-geo). */
export function requireNoContradiction(existing: readonly GeoTarget[], request: GeoTargetCreate): void {
  const include = isIncluded(request);
  const place = placeOf(request);
  const other = existing.find((target) => target.include !== include && isSamePlace(target, place));
  if (other === undefined) return;
  throw contradictingGeoTarget.error(include, other.id);
}
