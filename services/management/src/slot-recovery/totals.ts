import type { ImpressionRecord } from "@diegetic/contracts";
import { utcDay } from "@diegetic/database";
import type { AccountTotals, CampaignTotals, FrozenSlot, RestoredCampaign } from "@diegetic/hot-state";
import { centsToMillicents } from "@diegetic/money";
import type { KnownAdvertiser } from "./load.ts";

/** The totals with which a slot is to go on: those of Postgres, and what its outbox has on top of them. */
export interface SlotTotals extends Pick<AccountTotals, "spentMillicents" | "impressions"> {
  campaigns: RestoredCampaign[];
  countedImpressionIds: string[];
}

/** Adds the records of the slot's outbox that Postgres has neither written nor set aside to what Postgres knows. */
export function totalsOf(
  known: KnownAdvertiser,
  outbox: readonly ImpressionRecord[],
  day: string,
): SlotTotals {
  const counted = outbox.filter(({ impression_id }) => !known.handledImpressionIds.has(impression_id));
  const campaigns = known.campaigns.map((campaign): RestoredCampaign => {
    const own = counted.filter(({ match }) => match.campaign_id === campaign.id);
    const today = own.filter(({ recorded_at_ms }) => utcDay(recorded_at_ms) === day);
    return {
      campaignId: campaign.id,
      version: campaign.version,
      status: campaign.status,
      budgetMillicents: centsToMillicents(campaign.budgetCents),
      dailyCapMillicents: campaign.dailyCapCents === null ? null : centsToMillicents(campaign.dailyCapCents),
      spentMillicents: campaign.spentMillicents + priceOf(own),
      impressions: campaign.impressions + own.length,
      daySpentMillicents: campaign.daySpentMillicents + priceOf(today),
    };
  });
  return {
    spentMillicents: known.spentMillicents + priceOf(counted),
    impressions: known.impressions + counted.length,
    campaigns,
    countedImpressionIds: counted.map(({ impression_id }) => impression_id),
  };
}

/**
 * Whether a slot that was found is of the epoch before and has every charge that Postgres has: then it has not forgotten
 * anything that matters, nor lost some of its keys, and its holds and matches may live on.
 */
export function isIntact(
  found: FrozenSlot,
  epochBefore: number,
  { known, totals }: { known: KnownAdvertiser; totals: SlotTotals },
  campaigns: readonly (CampaignTotals | null)[],
): boolean {
  const heldMillicents = campaigns.reduce((sum, campaign) => sum + (campaign?.heldMillicents ?? 0), 0);
  return (
    found.epoch === String(epochBefore) &&
    found.spentMillicents + known.unsettledMillicents === totals.spentMillicents &&
    found.impressions + known.unsettledImpressions === totals.impressions &&
    found.heldMillicents === heldMillicents &&
    found.heldMillicents === found.holdsMillicents &&
    // Settling moves account and campaign alike: where something is unsettled, the account's equation has to do.
    (known.unsettledImpressions !== 0 ||
      known.unsettledMillicents !== 0 ||
      totals.campaigns.every(
        (campaign, index) =>
          (campaigns[index]?.spentMillicents ?? 0) === campaign.spentMillicents &&
          (campaigns[index]?.impressions ?? 0) === campaign.impressions,
      ))
  );
}

function priceOf(records: readonly ImpressionRecord[]): number {
  return records.reduce((sum, { match }) => sum + match.price_millicents, 0);
}
