import { iso31661 } from "iso-3166";

/** The officially assigned ISO 3166-1 alpha-2 codes, without reserved and user-assigned ones such as XK. */
const codes: ReadonlySet<string> = new Set(
  iso31661.filter(({ state }) => state === "assigned").map(({ alpha2 }) => alpha2),
);

/** The form of an ISO 3166-1 alpha-2 code; `isCountryCode` checks that it is assigned, too. */
export const COUNTRY_CODE = /^[A-Za-z]{2}$/;

/** Whether the text is an ISO 3166-1 alpha-2 code, in either case. */
export function isCountryCode(text: string): boolean {
  // Upper-casing turns letters such as ß or ı into plain ones, so the form is checked first.
  return COUNTRY_CODE.test(text) && codes.has(text.toUpperCase());
}
