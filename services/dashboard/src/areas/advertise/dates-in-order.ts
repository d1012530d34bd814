import { compileSchedule } from "@diegetic/ad-rules/schedule";

interface Dates {
  start_date?: string | null | undefined;
  end_date?: string | null | undefined;
}

/**
 * The schema cannot compare two fields. By the moments that the API compares.
 * @param stored dates that are not sent unless one of them was changed
 */
export function datesInOrder(dates: Dates, stored: Dates = {}): { end_date?: string } {
  const { start_date = null, end_date = null } = dates;
  if (start_date === (stored.start_date ?? null) && end_date === (stored.end_date ?? null)) return {};
  const schedule = compileSchedule({ start_date, end_date });
  const isReversed = schedule !== null && schedule.endsBeforeMs <= schedule.startsAtMs;
  return isReversed ? { end_date: "The last day must not be before the first." } : {};
}
