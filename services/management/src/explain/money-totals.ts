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

/** What an advertiser and one of his campaigns stand at; null: the wallet is being restored. */
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
      // A clock that has gone back keeps the later day, as the scripts do.
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
