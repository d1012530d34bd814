import { comparable } from "@diegetic/ad-rules/equality";
import type { BodyOf } from "../../api/operations.ts";
import type { GeoTarget } from "./use-campaign.ts";

type NewTarget = Partial<BodyOf<"POST /campaigns/{campaign_id}/geo-targets">>;
type Problems = Partial<Record<keyof NewTarget, string | undefined>>;

const CHOOSE_COUNTRY = "Choose a country.";
const FILL_IN = "Fill in this field, or choose the place on the map.";

/** What is wrong with a new geo-target beyond the schema: what its type needs, and a stored one of the same place. */
export function geoFieldProblems(target: NewTarget, stored: readonly GeoTarget[]): Problems {
  const missing = missingFields(target);
  if (Object.values(missing).some((sentence) => sentence !== undefined)) return missing;
  const isIncluded = target.include !== false;
  const same = stored.find((one) => nameOf(one) === nameOf(target));
  if (same === undefined) return {};
  const sentence =
    same.include === isIncluded
      ? "This place is in the list already."
      : `The campaign ${same.include ? "includes" : "excludes"} this place: remove it from the list first.`;
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
    state_code:
      type === "state" && comparable(state ?? "") === "" ? "Fill in the code of the state." : undefined,
    city_name: type === "city" && !city ? "Fill in the name of the city." : undefined,
  };
}

/** Games may send any text, but a name matches no player of one that sends codes. Undefined: it looks like a code. */
export function stateCodeAdvice({ country_code: country, state_code: state }: NewTarget): string | undefined {
  const code = comparable(state ?? "");
  const prefix = `${comparable(country ?? "")}-`;
  if (country && code.startsWith(prefix)) {
    return `Most games leave out the country: ${code.slice(prefix.length).toUpperCase()}.`;
  }
  if (/^[a-z0-9]{0,3}$/.test(code)) return undefined;
  return "Most games send a code of up to three letters or digits, such as CA, not a name.";
}

function nameOf(place: NewTarget | GeoTarget): string {
  const { target_type, country_code, state_code, city_name, lat, lng, radius_km } = place;
  const parts = [target_type, country_code, state_code, city_name, lat, lng, radius_km];
  return JSON.stringify(parts.map((part) => (typeof part === "string" ? comparable(part) : (part ?? null))));
}
