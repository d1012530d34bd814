import type { Pipeline } from "@diegetic/database";
import type { MoneyCommands } from "@diegetic/hot-state";
import { centsToMillicents } from "@diegetic/money";
import { unavailable } from "@diegetic/service-kit";
import type { Campaign, CampaignSettings } from "../../core/campaign-rows/campaign.ts";
import { changeCampaign } from "../../core/campaigns/mutate-campaign.ts";
import { checkBudgetCoversSpent, checkDates } from "./rules.ts";

const ATTEMPTS = 5;

export type CeilingCommands = Pick<MoneyCommands, "setBudgetCeiling" | "readCampaign">;

/**
 * Changes a campaign's settings in one locked step. A budget that is lowered is lowered in the advertiser's wallet first:
 * its ceiling refuses to go below what is spent there, and from then on no charge passes it, so that Postgres can follow.
 *
 * A ceiling that a crash leaves behind is cleared by the next newer version that reaches the wallet. So that there
 * always is one, the version is bumped, and committed, before the ceiling is set; while the campaign is locked nobody
 * else writes its wallet, and a version that reached it in between is noticed and bumped once more.
 *
 * Setting the ceiling is an effect outside of the transaction, while it holds the lock: the same ceiling again changes nothing,
 * and one whose transaction is rolled back goes with the next version.
 */
export async function changeSettings(
  { pipeline, wallets }: { pipeline: Pipeline; wallets: CeilingCommands },
  campaignId: string,
  changed: Partial<CampaignSettings>,
): Promise<Campaign> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const result = await pipeline.inTransaction((statements) =>
      changeCampaign<Campaign | undefined>(statements, campaignId, async ({ current }) => {
        checkDates({ ...current, ...changed });
        if (changed.budgetCents !== undefined && changed.budgetCents < current.budgetCents) {
          const outcome = await setCeiling(wallets, current, changed.budgetCents);
          if (outcome === "version is in the wallet") return { change: {}, result: () => undefined };
        }
        const mayGrow = Object.values(changed).some(Array.isArray);
        return {
          change: { campaign: changed, ...(mayGrow && { size: { mayGrow } }) },
          result: (campaign) => campaign,
        };
      }),
    );
    if (result !== undefined) return result;
  }
  throw unavailable("The campaign is being changed by others at the same time: try again.");
}

async function setCeiling(
  wallets: CeilingCommands,
  current: Campaign,
  budgetCents: number,
): Promise<"set" | "version is in the wallet"> {
  checkBudgetCoversSpent(budgetCents, current.spentMillicents);
  const wallet = await wallets.readCampaign(current.advertiserId, current.id);
  if (wallet !== null) {
    checkBudgetCoversSpent(budgetCents, wallet.spentMillicents);
    if (wallet.version >= current.version) return "version is in the wallet";
  }
  const ceiling = await wallets.setBudgetCeiling(
    current.advertiserId,
    current.id,
    centsToMillicents(budgetCents),
  );
  if (ceiling.outcome === "spent") checkBudgetCoversSpent(budgetCents, ceiling.spentMillicents);
  if (ceiling.outcome === "unknown_wallet") {
    // It is just being restored, perhaps from the row as it was before this change.
    throw unavailable("The campaign's account is being restored: try again.");
  }
  return "set";
}
