import { isBlankText } from "./blank.ts";
import { isCountryCode } from "./country-codes.ts";

/**
 * Pattern of a game's id: not blank, no control characters (docs/behaviour.md#text-limits). Line separators are neither,
 * though `.` does not match them.
 */
export const GAME_ID = "^(?=\\P{Cc}*\\S)\\P{Cc}+$";

/** The form of a date or time, with its numbers; `isFlightDate` checks the calendar, too. */
export const FLIGHT_DATE =
  /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?:Z|[+-](\d\d)(?::?(\d\d))?)?)?$/;

/**
 * An ISO 8601 date (`2026-12-01`, the whole day in UTC) or time (`2026-12-01T10:00:00Z`; UTC without an offset).
 * Rejects days that the calendar does not have.
 */
export function isFlightDate(text: string): boolean {
  const parts = FLIGHT_DATE.exec(text);
  if (parts === null) return false;
  const [year, month, day, hour = 0, minute = 0, second = 0, offsetHour = 0, offsetMinute = 0] = parts
    .slice(1)
    .map((part) => (part === undefined ? undefined : Number(part)));
  if (year === undefined || month === undefined || day === undefined) return false;
  const calendarDay = new Date(Date.UTC(year, month - 1, day));
  calendarDay.setUTCFullYear(year);
  return (
    year >= 1000 &&
    calendarDay.getUTCMonth() === month - 1 &&
    calendarDay.getUTCDate() === day &&
    hour <= 23 &&
    minute <= 59 &&
    second <= 59 &&
    offsetHour <= 23 &&
    offsetMinute <= 59
  );
}

/** An absolute web address. Other schemes are rejected, because the dashboard renders it as a link. */
export function isWebAddress(text: string): boolean {
  if (/[\s<>"{}|\\^`]/.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return (protocol === "https:" || protocol === "http:") && hostname !== "" && /^https?:\/\/[^/]/i.test(text);
}

/** Custom formats, with the text that says what is allowed. */
export const ownFormats: Readonly<Record<string, { validate: (text: string) => boolean; allowed: string }>> =
  {
    "advertiser-id": {
      // The schema reports blank texts separately.
      validate: (text) => text.startsWith("adv_") || isBlankText(text),
      allowed: "the identifier of an advertiser, which begins with adv_",
    },
    "country-code": { validate: isCountryCode, allowed: "a country code of ISO 3166-1 alpha-2, such as DE" },
    "iso-date": {
      validate: isFlightDate,
      allowed: "a date or a moment of ISO 8601, such as 2026-12-01 or 2026-12-01T10:00:00Z",
    },
    uri: { validate: isWebAddress, allowed: "an absolute http or https address" },
  };
