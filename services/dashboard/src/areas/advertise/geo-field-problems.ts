import type { AnswerOf, BodyOf } from "../../api/operations.ts";

type NewTarget = Partial<BodyOf<"POST /campaigns/{campaign_id}/geo-targets">>;
type GeoTarget = AnswerOf<"GET /campaigns/{campaign_id}/geo-targets">[number];
type Problems = Partial<Record<keyof NewTarget, string | undefined>>;

const CHOOSE_COUNTRY = "Choose a country.";
const FILL_IN = "Fill in this field, or choose the place on the map.";

/** What is wrong with a new geo-target beyond the schema: what its type needs, and a stored one that says the opposite. */
export function geoFieldProblems(target: NewTarget, stored: readonly GeoTarget[]): Problems {
  const missing = missingFields(target);
  if (Object.values(missing).some((sentence) => sentence !== undefined)) return missing;
  const isIncluded = target.include !== false;
  const opposite = stored.find((one) => one.include !== isIncluded && nameOf(one) === nameOf(target));
  if (opposite === undefined) return {};
  const sentence = `The campaign ${opposite.include ? "includes" : "excludes"} this place: remove it from the list first.`;
  return { [target.target_type === "radius" ? "lat" : "country_code"]: sentence };
}

function missingFields(target: NewTarget): Problems {
  const { target_type: type, country_code: country, state_code: state, city_name: city } = target;
  if (type === "radius") {
    const isMissing = (value: number | null | undefined) => (value ?? undefined) === undefined;
    return {
      lat: isMissing(target.lat) ? FILL_IN : undefined,
      lng: isMissing(target.lng) ? FILL_IN : undefined,
      radius_km: isMissing(target.radius_km) ? "Fill in this field." : undefined,
    };
  }
  return {
    country_code: country ? undefined : CHOOSE_COUNTRY,
    state_code: type === "state" && !state ? "Fill in the code of the state." : undefined,
    city_name: type === "city" && !city ? "Fill in the name of the city." : undefined,
  };
}

function nameOf(place: NewTarget | GeoTarget): string {
  const { target_type, country_code, state_code, city_name, lat, lng, radius_km } = place;
  const parts = [target_type, country_code, state_code, city_name, lat, lng, radius_km];
  return JSON.stringify(
    parts.map((part) => (typeof part === "string" ? part.trim().toLowerCase() : (part ?? null))),
  );
}
