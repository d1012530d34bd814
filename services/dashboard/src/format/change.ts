import { formatChange } from "./format.ts";

const DAYS_OF_WEEK = 7;

/** How much more or less than before; null where there is nothing to compare. */
export function changeOf(now: number, before: number): string | null {
  return before === 0 ? null : formatChange(now / before - 1);
}

/**
 * The change of the last seven complete days against the seven before; null where there is nothing to compare.
 * @param daysNewestFirst today, which is still running, is the first; undefined, and so is the change: not known yet
 */
export function weekOnWeek<Day>(
  daysNewestFirst: readonly Day[] | undefined,
  amountOf: (days: readonly Day[]) => number,
): string | null | undefined {
  if (daysNewestFirst === undefined) return undefined;
  const week = daysNewestFirst.slice(1, 1 + DAYS_OF_WEEK);
  const before = daysNewestFirst.slice(1 + DAYS_OF_WEEK, 1 + 2 * DAYS_OF_WEEK);
  if (before.length < DAYS_OF_WEEK) return null;
  const change = changeOf(amountOf(week), amountOf(before));
  return change && `${change} week on week`;
}

/** The sum of a number of each row. */
export function sumOf<Row>(numberOf: (row: Row) => number): (rows: readonly Row[]) => number {
  return (rows) => rows.reduce((sum, row) => sum + numberOf(row), 0);
}

/**
 * The change of this month's complete days against as many first days of the month before; null where there is nothing
 * to compare, undefined where the days are not known yet.
 * @param daysNewestFirst `date`: YYYY-MM-DD, UTC; today, which is still running, is the first
 */
export function monthOnMonth<Day extends { date: string }>(
  daysNewestFirst: readonly Day[] | undefined,
  amountOf: (days: readonly Day[]) => number,
): string | null | undefined {
  if (daysNewestFirst === undefined) return undefined;
  const today = daysNewestFirst[0]?.date;
  if (today === undefined) return null;
  const month = today.slice(0, 7);
  const lastMonth = new Date(Date.parse(`${month}-01`) - 1).toISOString().slice(0, 7);
  const daysOf = (yearMonth: string) =>
    daysNewestFirst.slice(1).filter(({ date }) => date.startsWith(yearMonth));
  const now = daysOf(month);
  const all = daysOf(lastMonth);
  // A shorter month is no equal period.
  if (now.length === 0 || all.length < now.length || all.at(-1)?.date !== `${lastMonth}-01`) return null;
  const change = changeOf(amountOf(now), amountOf(all.slice(-now.length)));
  return change && `${change} on last month to date`;
}
