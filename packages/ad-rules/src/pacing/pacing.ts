import type { Millicents } from "@diegetic/money";
import { compileSchedule, dayMs, type Schedule } from "../rules/schedule.ts";
import type { PacingStatus } from "../types/pacing.ts";

/** Spent amounts are charges; open holds do not count. */
export interface PacingFacts {
  budgetMillicents: Millicents;
  spentMillicents: Millicents;
  /** Maximum spend per UTC day; null: no cap. */
  dailyCapMillicents: Millicents | null;
  /** Spent on the UTC day of `nowMs`. */
  todaySpentMillicents: Millicents;
  /** The advertiser's deposits less the spend of all their campaigns. */
  balanceMillicents: Millicents;
  /** The price of one more impression. */
  priceMillicents: Millicents;
  /** ISO 8601, as stored. */
  startDate: string | null;
  /** ISO 8601, as stored. */
  endDate: string | null;
  /** Unix milliseconds; null: never activated. */
  firstActivatedAtMs: number | null;
}

export interface Pacing {
  status: PacingStatus;
  /**
   * Expected spend by now, rounded down, at most the budget; null before the start and without a plan. `status` compares
   * with it before it is limited to the budget: a campaign that its daily cap should have spent is late.
   */
  expectedMillicents: Millicents | null;
  /** Never negative. */
  remainingMillicents: Millicents;
  /** The minimum of what today's cap and the budget still allow; never negative. */
  todayRemainingMillicents: Millicents;
  /** UTC days since the first activation, today included; at least 1. */
  daysActive: number;
  /** Whole days until the budget is spent at the average daily spend so far; null without spend. */
  daysRemaining: number | null;
  /** The day (YYYY-MM-DD) on which the budget is spent, at most 9999-12-31; null without spend. */
  projectedExhaustionDay: string | null;
}

/** 9999-12-31, the last day that YYYY-MM-DD can represent. */
const lastDay = Date.UTC(9999, 11, 31) / dayMs;

/** The state at the time of the request. */
interface Now {
  ms: number;
  remaining: Millicents;
  /** Null: no cap. */
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
  const now = { ms: nowMs, remaining, capLeft, daysActive };
  const schedule = startedSchedule(facts, nowMs);
  const expected = schedule === null ? null : expectedSpend(facts, schedule, now);
  return {
    status: statusOf(facts, now, schedule !== null, expected),
    expectedMillicents: expected === null ? null : withinBudget(expected, facts.budgetMillicents),
    remainingMillicents: remaining,
    todayRemainingMillicents: capLeft === null ? remaining : Math.min(capLeft, remaining),
    daysActive,
    daysRemaining,
    projectedExhaustionDay: daysRemaining === null ? null : dayAfter(nowMs, daysRemaining),
  };
}

/** Null before the first activation and before the start. */
function startedSchedule(facts: PacingFacts, nowMs: number): Schedule {
  const schedule = compileSchedule({ start_date: facts.startDate, end_date: facts.endDate });
  const hasStarted = schedule !== null && schedule.startsAtMs <= nowMs;
  return facts.firstActivatedAtMs === null || !hasStarted ? null : schedule;
}

function statusOf(
  facts: PacingFacts,
  now: Now,
  hasStarted: boolean,
  expected: Expected | null,
): PacingStatus {
  if (!hasStarted) return "not_started";
  // Without balance there is no money for an impression, whatever budget remains.
  if (Math.min(now.remaining, facts.balanceMillicents) < facts.priceMillicents) return "exhausted";
  if (now.capLeft !== null && now.capLeft < facts.priceMillicents) return "capped_today";
  return expected === null ? "on_pace" : paceOf(facts, expected);
}

/** amount × times ÷ per, in millicents, unevaluated so that nothing is rounded before the comparison. */
interface Expected {
  amount: bigint;
  times: bigint;
  per: bigint;
}

/** The expected spend by now; null without a flight and without a cap. */
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

function withinBudget({ amount, times, per }: Expected, budget: Millicents): Millicents {
  const expected = (amount * times) / per;
  return expected < BigInt(budget) ? Number(expected) : budget;
}

/** Compares spent ÷ max(expected, 1 % of the budget) with 1.1 and 0.9. */
function paceOf(
  { spentMillicents, budgetMillicents }: PacingFacts,
  { amount, times, per }: Expected,
): "over_pacing" | "under_pacing" | "on_pace" {
  // All terms are multiplied by 100 × per, so that they are integers.
  const spent = BigInt(spentMillicents) * 100n * per;
  const minimum = BigInt(budgetMillicents) * per;
  const expected = amount * times * 100n;
  const measure = expected > minimum ? expected : minimum;
  if (spent * 10n > measure * 11n) return "over_pacing";
  if (spent * 10n < measure * 9n) return "under_pacing";
  return "on_pace";
}

/** UTC days from a moment until now, both included; at least 1. */
function daysSince(momentMs: number | null, nowMs: number): number {
  if (momentMs === null) return 1;
  return Math.max(1, Math.floor(nowMs / dayMs) - Math.floor(momentMs / dayMs) + 1);
}

/** remaining ÷ (spent ÷ days), in whole days; null without spend. */
function daysUntilSpent(remaining: Millicents, spent: Millicents, days: number): number | null {
  return spent === 0 ? null : Number((BigInt(remaining) * BigInt(days)) / BigInt(spent));
}

function dayAfter(nowMs: number, days: number): string {
  const day = Math.min(Math.floor(nowMs / dayMs) + days, lastDay);
  return new Date(day * dayMs).toISOString().slice(0, 10);
}
