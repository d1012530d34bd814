import { iso31661 } from "iso-3166";

/** The officially assigned codes of ISO 3166-1 alpha-2; reserved and user-assigned ones, such as XK, are none. */
const codes: ReadonlySet<string> = new Set(
  iso31661.filter(({ state }) => state === "assigned").map(({ alpha2 }) => alpha2),
);

/** Whether the text is a country code of ISO 3166-1 alpha-2, in either case. */
export function isCountryCode(text: string): boolean {
  // Letters such as ß or ı turn into plain ones in upper case.
  return /^[A-Za-z]{2}$/.test(text) && codes.has(text.toUpperCase());
}
