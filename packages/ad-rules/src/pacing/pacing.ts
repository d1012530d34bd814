import type { Millicents } from "@diegetic/money";
import { compileSchedule, type Schedule } from "../rules/schedule.ts";

/** In the order in which they are looked at: the first that holds (docs/behaviour.md#pacing). */
export const pacingStatuses = [
  "not_started",
  "exhausted",
  "capped_today",
  "over_pacing",
  "under_pacing",
  "on_pace",
] as const;
export type PacingStatus = (typeof pacingStatuses)[number];

/** What pacing looks at: charges alone, open holds do not count. */
export interface PacingFacts {
  budgetMillicents: Millicents;
  spentMillicents: Millicents;
  /** Most that may be spent on one UTC day; null: no cap. */
  dailyCapMillicents: Millicents | null;
  /** Spent on the UTC day of `nowMs`. */
  todaySpentMillicents: Millicents;
  /** What the advertiser's deposits leave over what all his campaigns have spent. */
  balanceMillicents: Millicents;
  /** What one more impression costs. */
  priceMillicents: Millicents;
  /** ISO 8601 as it was given. */
  startDate: string | null;
  /** ISO 8601 as it was given. */
  endDate: string | null;
  /** Unix milliseconds; null: never activated. */
  firstActivatedAtMs: number | null;
}

export interface Pacing {
  status: PacingStatus;
  /** Never negative. */
  remainingMillicents: Millicents;
  /** What today's cap and the budget both still allow; never negative. */
  todayRemainingMillicents: Millicents;
  /** UTC days since the first activation, today included; at least 1. */
  daysActive: number;
  /** Whole days until the budget is spent at the average of the days so far; null without spend. */
  daysRemaining: number | null;
  /** The day (YYYY-MM-DD) on which that is, 9999-12-31 at the latest; null without spend. */
  projectedExhaustionDay: string | null;
}

const dayMs = 86_400_000;
/** 9999-12-31: the last day that YYYY-MM-DD can name. */
const lastDay = Date.UTC(9999, 11, 31) / dayMs;

/** How things stand at the moment that is looked at. */
interface Now {
  ms: number;
  remaining: Millicents;
  /** null: no cap. */
  capLeft: Millicents | null;
  daysActive: number;
}

/** How a campaign spends its budget over time (docs/behaviour.md#pacing). */
export function pacingOf(facts: PacingFacts, nowMs: number): Pacing {
  const remaining = Math.max(0, facts.budgetMillicents - facts.spentMillicents);
  const capLeft =
    facts.dailyCapMillicents === null
      ? null
      : Math.max(0, facts.dailyCapMillicents - facts.todaySpentMillicents);
  const daysActive = daysSince(facts.firstActivatedAtMs, nowMs);
  const daysRemaining = daysUntilSpent(remaining, facts.spentMillicents, daysActive);
  return {
    status: statusOf(facts, { ms: nowMs, remaining, capLeft, daysActive }),
    remainingMillicents: remaining,
    todayRemainingMillicents: capLeft === null ? remaining : Math.min(capLeft, remaining),
    daysActive,
    daysRemaining,
    projectedExhaustionDay: daysRemaining === null ? null : dayAfter(nowMs, daysRemaining),
  };
}

function statusOf(facts: PacingFacts, now: Now): PacingStatus {
  const schedule = compileSchedule({ start_date: facts.startDate, end_date: facts.endDate });
  const hasStarted = schedule !== null && schedule.startsAtMs <= now.ms;
  if (facts.firstActivatedAtMs === null || !hasStarted) return "not_started";
  // An advertiser whose balance is empty has nothing left for an impression either, whatever the budget says.
  if (Math.min(now.remaining, facts.balanceMillicents) < facts.priceMillicents) return "exhausted";
  if (now.capLeft !== null && now.capLeft < facts.priceMillicents) return "capped_today";
  const expected = expectedSpend(facts, schedule, now);
  return expected === null ? "on_pace" : paceOf(facts, expected);
}

/** An amount times a fraction, kept apart so that nothing is rounded before it is compared. Millicents. */
interface Expected {
  amount: bigint;
  times: bigint;
  per: bigint;
}

/** What should be spent by now; null when neither a flight nor a cap says so. */
function expectedSpend(
  { budgetMillicents, dailyCapMillicents }: PacingFacts,
  { startsAtMs, endsBeforeMs }: NonNullable<Schedule>,
  now: Now,
): Expected | null {
  if (Number.isFinite(startsAtMs) && Number.isFinite(endsBeforeMs)) {
    const flightMs = Math.max(1, endsBeforeMs - startsAtMs);
    const elapsedMs = Math.min(now.ms - startsAtMs, flightMs);
    return { amount: BigInt(budgetMillicents), times: BigInt(elapsedMs), per: BigInt(flightMs) };
  }
  if (dailyCapMillicents === null) return null;
  return { amount: BigInt(dailyCapMillicents), times: BigInt(now.daysActive), per: 1n };
}

/** spent ÷ max(expected, 1 % of the budget), compared with 1.1 and 0.9. */
function paceOf(
  { spentMillicents, budgetMillicents }: PacingFacts,
  { amount, times, per }: Expected,
): "over_pacing" | "under_pacing" | "on_pace" {
  // Everything times 100 × per, which leaves whole numbers.
  const spent = BigInt(spentMillicents) * 100n * per;
  const least = BigInt(budgetMillicents) * per;
  const expected = amount * times * 100n;
  const measure = expected > least ? expected : least;
  if (spent * 10n > measure * 11n) return "over_pacing";
  if (spent * 10n < measure * 9n) return "under_pacing";
  return "on_pace";
}

/** UTC days from a moment until now, both counted; at least 1. */
function daysSince(momentMs: number | null, nowMs: number): number {
  if (momentMs === null) return 1;
  return Math.max(1, Math.floor(nowMs / dayMs) - Math.floor(momentMs / dayMs) + 1);
}

/** remaining ÷ (spent ÷ days), whole days; null without spend. */
function daysUntilSpent(remaining: Millicents, spent: Millicents, days: number): number | null {
  return spent === 0 ? null : Number((BigInt(remaining) * BigInt(days)) / BigInt(spent));
}

function dayAfter(nowMs: number, days: number): string {
  const day = Math.min(Math.floor(nowMs / dayMs) + days, lastDay);
  return new Date(day * dayMs).toISOString().slice(0, 10);
}
