/** When a campaign is served, by its dates. */
import { compileSchedule, parseDate } from "@diegetic/ad-rules/schedule";
import { utcDayOf } from "../../format/days.ts";
import type { Campaign } from "./use-campaign.ts";

/** Whether the last moment of a campaign has passed, by the rule that matching follows. */
export function hasEnded({ end_date }: Pick<Campaign, "end_date">, nowMs: number): boolean {
  const schedule = compileSchedule({ start_date: null, end_date });
  return schedule !== null && schedule.endsBeforeMs <= nowMs;
}

/** The first and the last UTC day of a campaign, YYYY-MM-DD, by the same rule; undefined: it has no such limit. */
export function flightDays(campaign: Pick<Campaign, "start_date" | "end_date">) {
  const schedule = compileSchedule(campaign);
  const dayOf = (ms: number) => (Number.isFinite(ms) ? utcDayOf(ms) : undefined);
  if (schedule === null) return { first: undefined, last: undefined };
  return { first: dayOf(schedule.startsAtMs), last: dayOf(schedule.endsBeforeMs - 1) };
}

/** The moment that a date with a time names; undefined: it names a whole UTC day, or there is none. */
export function momentOfDate(date: string | null | undefined): string | undefined {
  const span = date ? parseDate(date) : undefined;
  if (span === undefined || span.firstMs !== span.lastMs) return undefined;
  return new Date(span.firstMs).toISOString();
}
