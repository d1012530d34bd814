/** Money, numbers and times as people read them: by the locale of the browser, in English words and Latin digits, days in UTC. */

export const CURRENCY = "USD";
const MILLICENTS_PER_CENT = 1_000;
const MICROCENTS_PER_CENT = 1_000_000;
const IMPRESSIONS_PER_BID = 1_000;
const CENTS = 100;
const DOLLAR_DIGITS_OF_MICROCENTS = 8;
const MIN_ROUNDED_CENTS = 10;

/** English, with days and months in the order of the browser's region. */
const ENGLISH = new Intl.Locale("en", {
  region: new Intl.Locale(new Intl.DateTimeFormat().resolvedOptions().locale).maximize().region,
});

/** Numbers by the locale, with a true minus where it has a hyphen. */
function numberFormat(options: Intl.NumberFormatOptions): (value: number) => string {
  const format = new Intl.NumberFormat(undefined, { ...options, numberingSystem: "latn" });
  return (value) => format.format(value).replace("-", "−");
}

const IN_CURRENCY = { style: "currency", currency: CURRENCY } as const;
const TO_LAST_FRACTION = { ...IN_CURRENCY, maximumFractionDigits: 8 } as const;
const money = numberFormat(IN_CURRENCY);
const exactMoney = numberFormat(TO_LAST_FRACTION);
const exactMoneyParts = new Intl.NumberFormat(undefined, TO_LAST_FRACTION);
const compactMoney = numberFormat({ ...IN_CURRENCY, notation: "compact", maximumFractionDigits: 1 });
const exactPercent = numberFormat({ style: "percent", maximumFractionDigits: 2 });
const day = new Intl.DateTimeFormat(ENGLISH, { day: "numeric", month: "short", timeZone: "UTC" });
const dayWithYear = new Intl.DateTimeFormat(ENGLISH, {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});
const hour = hourFormat(ENGLISH);
const utcMoment = new Intl.DateTimeFormat(ENGLISH, {
  dateStyle: "medium",
  timeStyle: "short",
  timeZone: "UTC",
});
const localDay = new Intl.DateTimeFormat(ENGLISH, { dateStyle: "medium" });
const moment = new Intl.DateTimeFormat(ENGLISH, { dateStyle: "medium", timeStyle: "long" });
const relative = new Intl.RelativeTimeFormat(ENGLISH, { numeric: "always", style: "short" });

/** Money with both cents, and below ten cents to its last fraction: rounding would change a price or a share visibly. */
export function formatCents(cents: number): string {
  return Math.abs(cents) < MIN_ROUNDED_CENTS ? formatExactCents(cents) : money(cents / CENTS);
}

/** Money to its last fraction, at least both cents: an impression costs parts of a cent. */
export function formatExactCents(cents: number): string {
  return exactMoney(cents / CENTS);
}

/** Formats the exact amounts of a column with equally many digits, so that they can be compared at a glance. */
export function exactColumn(amounts: readonly number[]): (cents: number) => string {
  const digits = Math.max(
    ...[0, ...amounts].map((cents) => {
      const parts = exactMoneyParts.formatToParts(cents / CENTS);
      return parts.find(({ type }) => type === "fraction")?.value.length ?? 0;
    }),
  );
  const format = numberFormat({
    ...IN_CURRENCY,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return (cents) => format(cents / CENTS);
}

/** A sentence of the API, which counts in cents, with its amounts as the pages write money: "1980 cents" becomes "$19.80". */
export function withMoney(sentence: string): string {
  return sentence.replaceAll(/\b(\d+(?:\.\d+)?) cents?\b/g, (_all, cents: string) =>
    formatExactCents(Number(cents)),
  );
}

/** The amounts at the gridlines of an axis, in one form: short where all are whole, else with both cents. */
export function formatAxisCents(ticks: readonly number[]): (cents: number) => string {
  const isWhole = ticks.every((cents) => cents % CENTS === 0);
  return (cents) => (isWhole ? compactMoney : money)(cents / CENTS);
}

export function centsOfMillicents(millicents: number): number {
  return millicents / MILLICENTS_PER_CENT;
}

/** What one impression costs at a bid for a thousand of them. */
export function impressionCents(cpmBidCents: number): number {
  return cpmBidCents / IMPRESSIONS_PER_BID;
}

/** In one division: two of them leave the noise of binary fractions, which a CSV would show. */
export function dollarsOfMillicents(millicents: number): number {
  return millicents / (MILLICENTS_PER_CENT * CENTS);
}

/** For a CSV: exact to a microcent, the smallest amount that there is. */
export function dollarsOfCents(cents: number): number {
  return Number((cents / CENTS).toFixed(DOLLAR_DIGITS_OF_MICROCENTS));
}

export function centsOfMicrocents(microcents: number): number {
  return microcents / MICROCENTS_PER_CENT;
}

export const formatCount = numberFormat({ maximumFractionDigits: 0 });
export const formatCompact = numberFormat({ notation: "compact", maximumFractionDigits: 1 });
/** With all its decimals: a bound is not rounded. */
export const formatNumber = numberFormat({ maximumFractionDigits: 20 });
export const formatDecimal = numberFormat({ maximumFractionDigits: 2 });

/** A share from 0 to 1. */
export const formatShare = numberFormat({ style: "percent", maximumFractionDigits: 1 });

/** A share in percent, as the API has those that people set: with both of its decimals. */
export function formatPercent(percentage: number): string {
  return exactPercent(percentage / 100);
}

/** A share as a number of percent with one decimal, for a CSV. */
export function percentOfShare(share: number): number {
  return Math.round(share * 1_000) / 10;
}

/** A change as a signed share: "+12.5%". */
export const formatChange = numberFormat({
  style: "percent",
  maximumFractionDigits: 1,
  signDisplay: "exceptZero",
});

/** "One impression", "3 impressions": with the noun in the form that the number asks for. */
export function formatNoun(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}

/** A UTC day `YYYY-MM-DD`, or a moment, as a day. */
export function formatDay(date: string): string {
  return day.format(new Date(date));
}

export function formatDayWithYear(date: string): string {
  return dayWithYear.format(new Date(date));
}

/** A point on an axis of time: a UTC day, or the UTC hour of a moment. */
export function formatPoint(point: string): string {
  return isDay(point) ? formatDay(point) : hour.format(new Date(point));
}

/** As `formatPoint`, with the day of an hour and the year of a day. */
export function formatPointInFull(point: string): string {
  return isDay(point) ? formatDayWithYear(point) : `${formatDay(point)}, ${formatPoint(point)}`;
}

/** Whether the UTC day, or the UTC hour that begins at the moment, is not over yet. */
export function isCurrent(point: string, now: Date): boolean {
  const length = isDay(point) ? point.length : "2026-12-01T13".length;
  return now.toISOString().slice(0, length) === point.slice(0, length);
}

/** "7 AM"; where hours count to 24, "07:00": "07" alone does not say what it is. */
export function hourFormat(locale: string | Intl.Locale): Intl.DateTimeFormat {
  const format = new Intl.DateTimeFormat(locale, { hour: "numeric", timeZone: "UTC" });
  if (format.resolvedOptions().hour12) return format;
  return new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", timeZone: "UTC" });
}

function isDay(point: string): boolean {
  return point.length === "2026-12-01".length;
}

/** In the reader's time zone, which it names: the days of money are UTC days. */
export function formatMoment(iso: string): string {
  return moment.format(new Date(iso));
}

/** A moment of which the UTC day matters. */
export function formatUtcMoment(iso: string): string {
  return `${utcMoment.format(new Date(iso))} UTC`;
}

const DAY_SECONDS = 86_400;
const MAX_AGO_SECONDS = 7 * DAY_SECONDS;
const SPANS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ["day", DAY_SECONDS],
  ["hour", 3_600],
  ["minute", 60],
];

/**
 * "3 min ago", in whole units that have passed; from seven days on the day, in the reader's time zone. The future counts to the
 * next whole minute: what was just set to end in a day ends "in 1 day".
 */
export function formatAgo(iso: string, nowMs: number): string {
  const seconds = (new Date(iso).getTime() - nowMs) / 1000;
  if (Math.abs(seconds) >= MAX_AGO_SECONDS) return localDay.format(new Date(iso));
  if (Math.abs(seconds) < 10) return "just now";
  const counted = seconds >= 60 ? Math.ceil(seconds / 60) * 60 : seconds;
  for (const [unit, length] of SPANS) {
    if (Math.abs(counted) >= length) return formatSpan(Math.trunc(counted / length), unit);
  }
  return formatSpan(Math.trunc(counted), "second");
}

/** English abbreviates with a full stop: "3 min. ago". */
function formatSpan(count: number, unit: Intl.RelativeTimeFormatUnit): string {
  return relative.format(count, unit).replace(/\.(?= |$)/, "");
}

/** A value of the API as words: `under_pacing` becomes "Under pacing". */
export function formatTerm(term: string): string {
  const words = term.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** "calm, tense, and hopeful". */
export function formatList(words: readonly string[], type: Intl.ListFormatType = "conjunction"): string {
  return new Intl.ListFormat("en", { type }).format(words);
}
