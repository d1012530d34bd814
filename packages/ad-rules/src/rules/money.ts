import type { Millicents } from "@diegetic/money";

/** What an advertiser has deposited, spent and has on hold at one moment. */
export interface AccountTotals {
  depositedMillicents: Millicents;
  spentMillicents: Millicents;
  heldMillicents: Millicents;
}

/** What a campaign may spend, has spent and has on hold at one moment. */
export interface CampaignTotals {
  budgetMillicents: Millicents;
  spentMillicents: Millicents;
  heldMillicents: Millicents;
  /** Null: no cap. */
  dailyCapMillicents: Millicents | null;
  /** Charged on the current UTC day. */
  spentTodayMillicents: Millicents;
}

/** What the balance still covers over and above spent and held; a price fits when it is not above (docs/behaviour.md#rule-8-money). */
export function balanceLeft(totals: AccountTotals): Millicents {
  return totals.depositedMillicents - totals.spentMillicents - totals.heldMillicents;
}

/** What the budget still covers over and above spent and held (docs/behaviour.md#rule-8-money). */
export function budgetLeft(totals: CampaignTotals): Millicents {
  return totals.budgetMillicents - totals.spentMillicents - totals.heldMillicents;
}

/**
 * What the daily cap still covers; null without a cap. All that is held counts against the current day
 * (docs/behaviour.md#daily-caps).
 */
export function dailyCapLeft(totals: CampaignTotals): Millicents | null {
  if (totals.dailyCapMillicents === null) return null;
  return totals.dailyCapMillicents - totals.spentTodayMillicents - totals.heldMillicents;
}
