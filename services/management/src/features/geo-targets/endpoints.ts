import {
  type GeoTargetBody,
  geoTargetsApi,
  MAX_GEO_TARGETS,
  noGeoTarget,
  tooManyGeoTargets,
} from "@diegetic/contracts";
import {
  type GeoTarget,
  newGeoTarget,
  readGeoTarget,
  requireNoContradiction,
} from "../../core/campaign-rows/geo-target.ts";
import { rowsOfPage } from "../../core/shared/paging.ts";
import { timestamp } from "../../core/shared/time.ts";
import { campaignPartHandlers } from "../campaign-parts/endpoints.ts";
import { endpointsOf } from "../endpoints-of.ts";

export const geoTargetEndpoints = endpointsOf(
  geoTargetsApi.operations,
  campaignPartHandlers({
    idParameter: "geoTargetId",
    prefix: "geo",
    kind: "geoTargets",
    max: MAX_GEO_TARGETS,
    tooMany: tooManyGeoTargets,
    missing: noGeoTarget,
    validate: readGeoTarget,
    check: requireNoContradiction,
    make: newGeoTarget,
    list: (database, campaignId, paging) => database.geoTarget.findMany(rowsOfPage({ campaignId }, paging)),
    toResponse,
  }),
);

function toResponse(target: GeoTarget): GeoTargetBody {
  return {
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
    created_at: timestamp(target.createdAt),
  };
}
