import { DAY_MS, utcDayOf } from "../../format/days.ts";

const DAYS = 14;
const WEEK = [0.7, 0.62, 0.66, 0.72, 0.95, 1.2, 1.1];

/** Made-up calls of a growing game, for a chart that has nothing of its own to show yet. */
export function sampleDays(
  now: Date,
): { day: string; requests: number; matches: number; impressions: number }[] {
  return Array.from({ length: DAYS }, (_, index) => {
    const day = new Date(now.getTime() - (DAYS - 1 - index) * DAY_MS);
    const requests = Math.round((400 + index * 60) * (WEEK[day.getUTCDay()] ?? 1));
    return {
      day: utcDayOf(day.getTime()),
      requests,
      matches: Math.round(requests * 0.72),
      impressions: Math.round(requests * 0.58),
    };
  });
}
