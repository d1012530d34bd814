import type { BodyOf } from "../../api/operations.ts";

type Target = Partial<BodyOf<"POST /campaigns/{campaign_id}/geo-targets">>;

const CHOOSE_COUNTRY = "Choose a country.";
const FILL_IN = "Fill in this field, or choose the place on the map.";

/** What each type of geo-target needs; the schema cannot say so, because it depends on the type. */
export function missingGeoField(target: Target): Partial<Record<keyof Target, string | undefined>> {
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
