import { MAX_LOCK_WAIT_MS } from "./write/locked-rows.ts";

/** Pauses of the loops, limits of waiting, and the age at which a record counts as lost. Milliseconds. */
export interface BillingPace {
  passEveryMs: number;
  /** Pause between two queries for settlements, slices and webhooks: there is seldom anything to do. */
  pollEveryMs: number;
  walkEveryMs: number;
  reconcileEveryMs: number;
  /** Minimum pause between two inspections of a reconciliation. */
  reconcilePauseMs: number;
  /** Pause after an inspection, as a multiple of its duration. */
  reconcileRestFactor: number;
  /** Pauses before each repeated read of what differs. */
  reconcileAgainAfterMs: readonly number[];
  /** Pause between two searches for impressions that are too old. */
  retainEveryMs: number;
  overdueAfterMs: number;
  /** How long a worker may be silent before its job goes to another worker. */
  jobLockMs: number;
  /** Limit for each lock of a writer. Longer than Postgres waits before it looks for deadlocks, unless there are none. */
  maxLockWaitMs: number;
  /** When a queued delivery to a webhook without an attempt counts as lost. */
  webhookLostAfterMs: number;
  /** Pause between two checks of expiry rates, complete payouts and full webhooks. */
  webhookEventsEveryMs: number;
  /** Pause between two checks of delayed payouts. */
  delayedPayoutsEveryMs: number;
}

export const DEFAULT_PACE: BillingPace = {
  passEveryMs: 250,
  pollEveryMs: 1_000,
  walkEveryMs: 60_000,
  reconcileEveryMs: 30_000,
  reconcilePauseMs: 200,
  reconcileRestFactor: 9,
  reconcileAgainAfterMs: [1_000, 2_000, 4_000, 8_000],
  retainEveryMs: 600_000,
  overdueAfterMs: 5_000,
  jobLockMs: 5_000,
  maxLockWaitMs: MAX_LOCK_WAIT_MS,
  webhookLostAfterMs: 60_000,
  webhookEventsEveryMs: 10_000,
  delayedPayoutsEveryMs: 600_000,
};
