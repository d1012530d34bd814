import type { Millicents } from "@diegetic/money";

/** An advertiser's money at one moment. */
export interface AccountTotals {
  depositedMillicents: Millicents;
  spentMillicents: Millicents;
  heldMillicents: Millicents;
}

/** A campaign's money at one moment. */
export interface CampaignTotals {
  budgetMillicents: Millicents;
  spentMillicents: Millicents;
  heldMillicents: Millicents;
  /** Null: no cap. */
  dailyCapMillicents: Millicents | null;
  /** Charged on the current UTC day. */
  spentTodayMillicents: Millicents;
}

/** Deposits less spent and held. A price is covered when it is at most this (docs/behaviour.md#rule-8-money). */
export function balanceLeft(totals: AccountTotals): Millicents {
  return totals.depositedMillicents - totals.spentMillicents - totals.heldMillicents;
}

/** Budget less spent and held (docs/behaviour.md#rule-8-money). */
export function budgetLeft(totals: CampaignTotals): Millicents {
  return totals.budgetMillicents - totals.spentMillicents - totals.heldMillicents;
}

/**
 * Daily cap less spent today and held; null without a cap. All open holds count against the current day
 * (docs/behaviour.md#daily-caps).
 */
export function dailyCapLeft(totals: CampaignTotals): Millicents | null {
  if (totals.dailyCapMillicents === null) return null;
  return totals.dailyCapMillicents - totals.spentTodayMillicents - totals.heldMillicents;
}
