import { iso31661 } from "iso-3166";
import { countryName } from "../format/countries.ts";

/** Every country, by the name that people know, for a field to choose from. */
export const countryOptions: readonly { value: string; label: string }[] = iso31661
  .filter(({ state }) => state === "assigned")
  .map(({ alpha2 }) => ({ value: alpha2, label: countryName(alpha2) }))
  .sort((one, other) => one.label.localeCompare(other.label));
