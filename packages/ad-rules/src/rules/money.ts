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

/** Open holds of one developer's account on a campaign at one moment. */
export interface DeveloperHolds {
  openHolds: number;
  heldMillicents: Millicents;
}

/** Deposits less spent and held. A price is covered when it is at most this (docs/behaviour.md#rule-8-money). */
export function balanceLeft(totals: AccountTotals): Millicents {
  return totals.depositedMillicents - totals.spentMillicents - totals.heldMillicents;
}

/** Budget less spent and held (docs/behaviour.md#rule-8-money). */
function budgetLeft(totals: CampaignTotals): Millicents {
  return totals.budgetMillicents - totals.spentMillicents - totals.heldMillicents;
}

/**
 * Daily cap less spent today and held; null without a cap. All open holds count against the current day
 * (docs/behaviour.md#daily-caps).
 */
function dailyCapLeft(totals: CampaignTotals): Millicents | null {
  if (totals.dailyCapMillicents === null) return null;
  return totals.dailyCapMillicents - totals.spentTodayMillicents - totals.heldMillicents;
}

/** What is spent and held now; null: not known, so the campaign does not serve. */
export interface MoneyFacts {
  account: AccountTotals | null;
  campaign: CampaignTotals | null;
  /** Of the account that owns the game. */
  developer: DeveloperHolds;
}

/** These are always allowed, as in the script that reserves. */
const MAX_UNSHARED_HOLDS = 100;

/** Whether one more hold keeps within the developer's share (docs/behaviour.md#open-holds-of-one-developer). */
function isWithinShare(price: Millicents, { account, campaign, developer }: MoneyFacts): boolean {
  if (developer.openHolds < MAX_UNSHARED_HOLDS || account === null || campaign === null) return true;
  const capLeft = dailyCapLeft(campaign);
  const left = Math.min(
    balanceLeft(account) + account.heldMillicents,
    budgetLeft(campaign) + campaign.heldMillicents,
    capLeft === null ? Number.POSITIVE_INFINITY : capLeft + campaign.heldMillicents,
  );
  return 2 * (developer.heldMillicents + price) <= left;
}

export const moneyRule = defineRule(
  {
    balance: { code: 401, meaning: "The advertiser's balance covers the price." },
    budget: {
      code: 402,
      meaning:
        "The campaign's budget covers the price, and many open holds of one developer take at most half of what is left.",
    },
    daily_cap: { code: 403, meaning: "The campaign's daily cap covers the price, if it has one." },
  },
  ({ priceMillicents: price }: { priceMillicents: Millicents }, facts: MoneyFacts) => {
    const { account, campaign, developer } = facts;
    const covers = (name: string, left: Millicents): Verdict => [
      left >= price,
      `${name} has ${inCents(left)} left over and above spent and held; an impression costs ${inCents(price)}.`,
    ];
    const unknown = (name: string): Verdict => [false, `${name} is not known right now.`];
    const capLeft = campaign === null ? null : dailyCapLeft(campaign);
    const budget = (totals: CampaignTotals): Verdict => {
      const verdict = covers("The budget", budgetLeft(totals));
      if (!verdict[0] || isWithinShare(price, facts)) return verdict;
      return [
        false,
        `The game's developer has open holds of ${inCents(developer.heldMillicents)}; with one more they would exceed half of what is left of balance, budget or daily cap.`,
      ];
    };
    return {
      balance: account === null ? unknown("The balance") : covers("The balance", balanceLeft(account)),
      budget: campaign === null ? unknown("The budget") : budget(campaign),
      daily_cap:
        campaign === null
          ? unknown("Today's spend")
          : capLeft === null
            ? [true, "The campaign has no daily cap."]
            : covers("Today's cap", capLeft),
    };
  },
);
