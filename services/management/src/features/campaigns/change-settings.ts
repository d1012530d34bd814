import type { Pipeline } from "@diegetic/database";
import type { MoneyCommands } from "@diegetic/hot-state";
import { centsToMillicents } from "@diegetic/money";
import { unavailable } from "@diegetic/service-kit";
import type { Campaign, CampaignSettings } from "../../core/campaign-rows/campaign.ts";
import { changeCampaign } from "../../core/campaigns/mutate-campaign.ts";
import { requireBudgetCoversSpent, requireDatesInOrder } from "./rules.ts";

const MAX_ATTEMPTS = 5;
/** Published settings that take more than digits: only for these is the whole campaign read and measured. */
const MEASURED_SETTINGS = ["startDate", "endDate", "targetCategories", "targetTags"] as const;

export type CeilingCommands = Pick<MoneyCommands, "setBudgetCeiling" | "readCampaign">;

/**
 * Changes a campaign's settings in one locked step. A lowered budget is first set as ceiling in the advertiser's wallet: the
 * script refuses it when more is spent, and no later charge exceeds it, so Postgres can follow.
 *
 * The next newer version that reaches the wallet clears the ceiling, also one that a crash or a rollback leaves behind. So
 * the version is bumped and committed before the ceiling is set: a version that the wallet already has is bumped once more.
 * While the campaign is locked, nothing else writes its wallet.
 *
 * Setting the ceiling is an effect outside of the transaction: it is idempotent.
 * @param campaign as last read, unlocked
 */
export async function changeSettings(
  { pipeline, wallets }: { pipeline: Pipeline; wallets: CeilingCommands },
  campaign: Pick<Campaign, "id" | "advertiserId" | "budgetCents">,
  changed: Partial<CampaignSettings>,
): Promise<Campaign> {
  // Rejects here when the wallet is unavailable, rather than with a connection and a locked row.
  if (changed.budgetCents !== undefined && changed.budgetCents < campaign.budgetCents) {
    await wallets.readCampaign(campaign.advertiserId, campaign.id);
  }
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const result = await pipeline.inTransaction((statements) =>
      changeCampaign<Campaign | undefined>(statements, campaign.id, async ({ current }) => {
        requireDatesInOrder({ ...current, ...changed });
        if (changed.budgetCents !== undefined && changed.budgetCents < current.budgetCents) {
          const outcome = await setCeiling(wallets, current, changed.budgetCents);
          if (outcome === "version is in the wallet") return { change: {}, result: () => undefined };
        }
        const mayGrow = MEASURED_SETTINGS.some((name) => changed[name] !== undefined);
        return {
          change: { campaign: changed, ...(mayGrow && { size: { mayGrow } }) },
          result: (written) => written,
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
  requireBudgetCoversSpent(budgetCents, current.spentMillicents);
  const wallet = await wallets.readCampaign(current.advertiserId, current.id);
  if (wallet !== null) {
    requireBudgetCoversSpent(budgetCents, wallet.spentMillicents);
    if (wallet.version >= current.version) return "version is in the wallet";
  }
  const ceiling = await wallets.setBudgetCeiling(
    current.advertiserId,
    current.id,
    centsToMillicents(budgetCents),
  );
  if (ceiling.outcome === "spent") requireBudgetCoversSpent(budgetCents, ceiling.spentMillicents);
  if (ceiling.outcome === "unknown_wallet") {
    // It is being restored, perhaps from the row before this change.
    throw unavailable("The campaign's account is being restored: try again.");
  }
  return "set";
}
