import type { Millicents } from "@diegetic/money";
import { defineRule, type Verdict } from "./rule.ts";
import { inCents } from "./wording.ts";

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

/** What is spent and held now; null: not known, so the campaign does not serve. */
export interface MoneyFacts {
  account: AccountTotals | null;
  campaign: CampaignTotals | null;
}

export const moneyRule = defineRule(
  {
    balance: { code: 401, meaning: "The advertiser's balance covers the price." },
    budget: { code: 402, meaning: "The campaign's budget covers the price." },
    daily_cap: { code: 403, meaning: "The campaign's daily cap covers the price, if it has one." },
  },
  ({ priceMillicents: price }: { priceMillicents: Millicents }, { account, campaign }: MoneyFacts) => {
    const covers = (name: string, left: Millicents): Verdict => [
      left >= price,
      `${name} has ${inCents(left)} left over and above spent and held; an impression costs ${inCents(price)}.`,
    ];
    const unknown = (name: string): Verdict => [false, `${name} is not known right now.`];
    const capLeft = campaign === null ? null : dailyCapLeft(campaign);
    return {
      balance: account === null ? unknown("The balance") : covers("The balance", balanceLeft(account)),
      budget: campaign === null ? unknown("The budget") : covers("The budget", budgetLeft(campaign)),
      daily_cap:
        campaign === null
          ? unknown("Today's spend")
          : capLeft === null
            ? [true, "The campaign has no daily cap."]
            : covers("Today's cap", capLeft),
    };
  },
);
