import {
  type AccountTotals,
  balanceLeft,
  budgetLeft,
  type CampaignTotals,
  dailyCapLeft,
} from "@diegetic/ad-rules";
import { utcDay } from "@diegetic/database";
import type { MoneyCommands } from "@diegetic/hot-state";
import { type Millicents, priceMillicents } from "@diegetic/money";

export type TotalsReader = Pick<MoneyCommands, "readAccount" | "readCampaign">;

/** Totals of an advertiser and one campaign; null: the wallet is being restored. */
export interface MoneyTotals {
  account: AccountTotals | null;
  campaign: CampaignTotals | null;
}

export async function readTotals(
  wallets: TotalsReader,
  campaign: { campaign_id: string; advertiser_id: string },
  nowMs: number,
): Promise<MoneyTotals> {
  const [account, totals] = await Promise.all([
    wallets.readAccount(campaign.advertiser_id),
    wallets.readCampaign(campaign.advertiser_id, campaign.campaign_id),
  ]);
  if (totals === null) return { account, campaign: null };
  const { budgetMillicents, ceilingMillicents } = totals;
  return {
    account,
    campaign: {
      ...totals,
      budgetMillicents: Math.min(budgetMillicents, ceilingMillicents ?? budgetMillicents),
      // Keeps the later day when the clock goes back, like the scripts.
      spentTodayMillicents: totals.day >= utcDay(nowMs) ? totals.daySpentMillicents : 0,
    },
  };
}

/** Rule 8: balance, budget and daily cap each cover one impression at the bid. */
export function coversImpression({ account, campaign }: MoneyTotals, cpmBidCents: number): boolean {
  if (account === null || campaign === null) return false;
  const price: Millicents = priceMillicents(cpmBidCents);
  const capLeft = dailyCapLeft(campaign);
  return (
    balanceLeft(account) >= price && budgetLeft(campaign) >= price && (capLeft === null || capLeft >= price)
  );
}
