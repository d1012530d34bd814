import { comparable, comparableCityName } from "@diegetic/ad-rules";
import {
  contradictingGeoTarget,
  type GeoTargetCreate,
  type GeoTargetType,
  geoTargetCreate,
  InvalidInput,
  newId,
  quoteValue,
} from "@diegetic/contracts";
import type { PartOwner } from "./campaign.ts";

/** A geographic place; fields that its type does not use are null. */
export interface Place {
  targetType: GeoTargetType;
  /** Upper case. */
  countryCode: string | null;
  stateCode: string | null;
  cityName: string | null;
  lat: number | null;
  lng: number | null;
  radiusKm: number | null;
}

export interface GeoTarget extends Place {
  id: string;
  campaignId: string;
  include: boolean;
  createdAt: Date;
}

/** Validates a geo target. Throws InvalidInput, also for a city that can never match. */
export function readGeoTarget(body: unknown): GeoTargetCreate {
  const target = geoTargetCreate(body);
  const { target_type: type, city_name: city } = target;
  if (type !== "city" || comparableCityName(city) !== null) return target;
  throw new InvalidInput(
    400,
    `city_name must have more than accents and other marks, but ${quoteValue(city)} was sent`,
  );
}

export function newGeoTarget(owner: PartOwner, request: GeoTargetCreate, nowMs: number): GeoTarget {
  return {
    id: newId("geo", nowMs),
    campaignId: owner.id,
    ...placeOf(request),
    include: request.include ?? true,
    createdAt: new Date(nowMs),
  };
}

/** Throws 422 when the campaign both includes and excludes the place (docs/behaviour.md#rule-4-geo). */
export function requireNoContradiction(existing: readonly GeoTarget[], request: GeoTargetCreate): void {
  const include = request.include ?? true;
  const key = placeKey(placeOf(request));
  const other = existing.find((target) => target.include !== include && placeKey(target) === key);
  if (other !== undefined) throw contradictingGeoTarget.error(include, other.id);
}

/** The place in a request, without the fields that matching ignores. */
function placeOf(request: GeoTargetCreate): Place {
  const { target_type: targetType } = request;
  const hasState = targetType === "state" || targetType === "city";
  const isRadius = targetType === "radius";
  return {
    targetType,
    countryCode: isRadius ? null : (request.country_code ?? null),
    stateCode: hasState ? (request.state_code ?? null) : null,
    cityName: targetType === "city" ? (request.city_name ?? null) : null,
    lat: isRadius ? (request.lat ?? null) : null,
    lng: isRadius ? (request.lng ?? null) : null,
    radiusKm: isRadius ? (request.radius_km ?? null) : null,
  };
}

/**
 * Equal for targets that are the same place, compared like in matching: codes without case, cities without case and
 * accents (docs/behaviour.md#rule-4-geo). A city with a state differs from the city in any state, and circles of
 * different size differ, because one may exclude a part of the other.
 */
export function placeKey(place: Place): string {
  const code = (text: string | null) => (text === null ? null : comparable(text));
  return JSON.stringify([
    place.targetType,
    code(place.countryCode),
    code(place.stateCode),
    comparableCityName(place.cityName),
    ...centreOf(place),
    place.radiusKm,
  ]);
}

/** Longitude is undefined at a pole, and 180° west equals 180° east. */
function centreOf({ lat, lng }: Place): [lat: number | null, lng: number | null] {
  if (lat === null || Math.abs(lat) === 90) return [lat, null];
  return [lat, lng === -180 ? 180 : lng];
}
