import { type MatchScene, type MoneyFacts, moneyRule } from "@diegetic/ad-rules";
import { utcDay } from "@diegetic/database";
import type { MoneyCommands } from "@diegetic/hot-state";
import { priceMillicents } from "@diegetic/money";

export type TotalsReader = Pick<MoneyCommands, "readAccount" | "readCampaign" | "readDeveloperHolds">;

/** A scene of a game whose developer's account is known. */
export type OwnedScene = MatchScene & { placement: { account_id: string } };

/** The money of an advertiser and one campaign, as a match in the scene sees it. */
export async function readTotals(
  wallets: TotalsReader,
  { advertiser_id, campaign_id }: { campaign_id: string; advertiser_id: string },
  { placement, nowMs }: OwnedScene,
): Promise<MoneyFacts> {
  const [account, totals, developer] = await Promise.all([
    wallets.readAccount(advertiser_id),
    wallets.readCampaign(advertiser_id, campaign_id),
    wallets.readDeveloperHolds(advertiser_id, campaign_id, placement.account_id),
  ]);
  if (totals === null) return { account, campaign: null, developer };
  const { budgetMillicents, ceilingMillicents } = totals;
  return {
    account,
    developer,
    campaign: {
      ...totals,
      budgetMillicents: Math.min(budgetMillicents, ceilingMillicents ?? budgetMillicents),
      // Keeps the later day when the clock goes back, like the scripts.
      spentTodayMillicents: totals.day >= utcDay(nowMs) ? totals.daySpentMillicents : 0,
    },
  };
}

/** Rule 8: whether balance, budget and daily cap each cover one impression at the bid. */
export function coversImpression(facts: MoneyFacts, cpmBidCents: number): boolean {
  return moneyRule
    .checks({ priceMillicents: priceMillicents(cpmBidCents) }, facts)
    .every(({ passed }) => passed);
}
