import {
  dayParameter,
  integerParameter,
  LEDGER_DAYS,
  periodReversed,
  periodTooLong,
} from "@diegetic/contracts";
import { DAY_MS, utcDay } from "@diegetic/database";

/** UTC days (YYYY-MM-DD), both inclusive. */
export interface Period {
  from: string;
  to: string;
}

/** The requested period, or the default without parameters. */
export interface RequestedPeriod extends Period {
  isDefault: boolean;
}

/**
 * The requested days, none after today. Throws 400 and 422.
 * @param limits maximum and default length of a period
 */
export function readPeriod(
  query: URLSearchParams,
  nowMs: number,
  limits: { minimum: number; maximum: number; default: number } = LEDGER_DAYS,
): RequestedPeriod {
  const today = utcDay(nowMs);
  const days = integerParameter("days", query, limits) ?? limits.default;
  const requested = { from: dayParameter("from", query), to: dayParameter("to", query) };
  const to = requested.to === undefined || requested.to > today ? today : requested.to;
  const from = requested.from ?? utcDay(Date.parse(to) - (days - 1) * DAY_MS);
  if (from > to) throw periodReversed.error(from, to, requested.to === to ? "to" : "today");
  if (Date.parse(to) - Date.parse(from) >= limits.maximum * DAY_MS) {
    throw periodTooLong.error(limits.maximum);
  }
  const isDefault = !["days", "from", "to"].some((name) => query.has(name));
  return { from, to, isDefault };
}

/**
 * The days to return. The default period begins at registration, or at an earlier move, so that the opening balance
 * omits nothing.
 * @param firstDay day of registration
 * @param movedDays days with moves, within the period or later
 */
export function effectivePeriod(
  requested: RequestedPeriod,
  firstDay: string,
  movedDays: Iterable<string>,
): Period {
  const { from, to, isDefault } = requested;
  if (!isDefault || firstDay <= from) return { from, to };
  // All moves are within the period or later, so none of these days precedes it.
  const begin = [firstDay, ...movedDays, to].reduce((least, day) => (day < least ? day : least));
  return { from: begin, to };
}

/** Every day of the period, oldest first. */
export function daysOf({ from, to }: Period): string[] {
  const days: string[] = [];
  for (let ms = Date.parse(from); ms <= Date.parse(to); ms += DAY_MS) days.push(utcDay(ms));
  return days;
}
