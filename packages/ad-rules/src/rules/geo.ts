import { comparableCityName } from "../text/city-name.ts";
import { comparableOrNull } from "../text/equality.ts";
import type { GeoTarget } from "../types/campaign.ts";
import type { PlayerGeo } from "../types/request.ts";
import { greatCircleKm, type Point, pointOf } from "./great-circle.ts";
import { defineRule } from "./rule.ts";
import { listedApart, placeName, playerName } from "./wording.ts";

/** The place of a target, in comparable form. */
export type Place =
  | { type: "country"; country: string }
  | { type: "state"; country: string; state: string }
  | { type: "city"; country: string; city: string; state: string | null }
  | { type: "radius"; center: Point; radiusKm: number };

/** A campaign's geo targets. */
export interface GeoRules {
  includes: readonly Place[];
  excludes: readonly Place[];
  /** Whether any include exists, readable or not. */
  hasIncludes: boolean;
  /** An exclude lacks a field that its type requires, so the excluded place is unknown. */
  hasUnreadableExclude: boolean;
}

/** The player's place according to `player_geo`; never derived from an IP address. */
export interface PlayerPlace {
  country: string | null;
  state: string | null;
  city: string | null;
  point: Point | null;
}

/** One millimetre, so that rounding errors do not exclude the edge. */
const edgeToleranceKm = 1e-6;

/** Normalises the places once, for all requests. */
export function compileGeo(targets: readonly GeoTarget[]): GeoRules {
  const includes = targets.filter((target) => target.include);
  const excluded = targets.filter((target) => !target.include).map(placeOf);
  const excludes = excluded.filter((place) => place !== null);
  return {
    includes: includes.map(placeOf).filter((place) => place !== null),
    excludes,
    hasIncludes: includes.length > 0,
    hasUnreadableExclude: excludes.length < excluded.length,
  };
}

/** Normalises the place once, for all campaigns. */
export function preparePlayerPlace(geo: PlayerGeo | null | undefined): PlayerPlace {
  return {
    country: comparableOrNull(geo?.country_code),
    state: comparableOrNull(geo?.state_code),
    city: comparableCityName(geo?.city_name),
    point: pointOf(geo),
  };
}

function isIn(place: Place, player: PlayerPlace): boolean {
  switch (place.type) {
    case "country":
      return player.country === place.country;
    case "state":
      return player.country === place.country && player.state === place.state;
    case "city":
      return (
        player.country === place.country &&
        player.city === place.city &&
        (place.state === null || player.state === place.state)
      );
    case "radius":
      return player.point !== null && isInCircle(place.center, place.radiusKm, player.point);
  }
}

/** Whether a point is in a circle, its edge included (docs/behaviour.md#numbers). */
export function isInCircle(center: Point, radiusKm: number, point: Point): boolean {
  return greatCircleKm(center, point) <= radiusKm + edgeToleranceKm;
}

/** Null when a field that the type requires is missing. */
function placeOf(target: GeoTarget): Place | null {
  const { target_type: type, lat, lng, radius_km: radiusKm } = target;
  if (type === "radius") {
    if (lat === null || lng === null || radiusKm === null) return null;
    return { type, center: { lat, lng }, radiusKm };
  }
  const country = comparableOrNull(target.country_code);
  const state = comparableOrNull(target.state_code);
  const city = comparableCityName(target.city_name);
  if (country === null) return null;
  if (type === "country") return { type, country };
  if (type === "state") return state === null ? null : { type, country, state };
  return city === null ? null : { type, country, city, state };
}

/**
 * Rule 4: no exclude may match; if there are includes, at least one must match. A player of unknown place matches neither
 * includes nor excludes (docs/behaviour.md#rule-4-geo).
 */
export const geoRule = defineRule(
  {
    geo_excludes: { code: 301, meaning: "The player is in no place that the campaign excludes." },
    geo_includes: {
      code: 302,
      meaning: "The player is in a place that the campaign includes, if it includes any.",
    },
  },
  (
    { source, geo }: { source: { geo_targets: readonly GeoTarget[] }; geo: GeoRules },
    { prepared, geo: player }: { prepared: { player: PlayerPlace }; geo: PlayerGeo | null },
  ) => {
    const includes = source.geo_targets.filter((target) => target.include);
    const excludes = source.geo_targets.filter((target) => !target.include);
    const isAt = (target: GeoTarget) => {
      const place = placeOf(target);
      return place !== null && isIn(place, prepared.player);
    };
    const named = (targets: typeof includes) =>
      listedApart(targets, (target) => placeName(target, player, isAt(target)));
    const readable = excludes.filter((target) => placeOf(target) !== null);
    const excluding = readable.filter(isAt);
    const including = includes.filter(isAt);
    const where = playerName(player);
    const sentencesOfExcludes = [
      geo.hasUnreadableExclude
        ? "A place that the campaign excludes lacks what its type requires, so the campaign serves nowhere."
        : "",
      excluding.length > 0
        ? `The campaign excludes ${named(excluding)}. ${where}`
        : readable.length > 0
          ? `No place that the campaign excludes matches: ${named(readable)}. ${where}`
          : "",
    ].filter((sentence) => sentence !== "");
    return {
      geo_excludes: [
        excluding.length === 0 && !geo.hasUnreadableExclude,
        sentencesOfExcludes.join(" ") || "The campaign excludes no places.",
      ],
      geo_includes: [
        includes.length === 0 || including.length > 0,
        includes.length === 0
          ? `The campaign includes no places, so any place ${excludes.length === 0 ? "" : "that it does not exclude "}will do.`
          : including.length > 0
            ? `The campaign includes ${named(including)}. ${where}`
            : `The campaign includes only ${named(includes)}. ${where}`,
      ],
    };
  },
);
