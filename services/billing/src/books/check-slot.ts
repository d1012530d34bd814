import type { CampaignBooks } from "@diegetic/hot-state";
import { Comparisons } from "./comparison.ts";
import {
  type AdvertiserFigures,
  type CampaignFigures,
  NOTHING_WAITS,
  type SlotFigures,
  type WaitingFigures,
} from "./figures.ts";

/** An advertiser's slot in Redis against itself and against Postgres. */
export function checkSlot(advertiser: AdvertiserFigures, figures: SlotFigures): Comparisons {
  const { slot, waiting } = figures;
  const { account } = slot;
  const id = advertiser.advertiserId;
  const checks = new Comparisons(id);
  checks.equal("slot_present", id, 1, account === null ? 0 : 1);
  checkBacklog(checks, id, figures);
  if (account === null) return checks;

  checks.equal("slot_epoch", id, advertiser.slotEpoch, account.live ? account.epoch : -1);
  // It neither serves nor charges, and is made anew from Postgres.
  if (!account.live) return checks;
  const published = figures.publishedVersions.get(id) ?? 0;
  checks.atMost("slot_version", id, account.version, published);
  if (account.version === advertiser.version || account.version < published) {
    checks.equal("slot_deposited", id, advertiser.depositedMillicents, account.depositedMillicents);
  }
  if (waiting !== null) {
    const { poison } = advertiser;
    const setAside = { impressions: poison.count, priceMillicents: poison.priceMillicents };
    checkTotals(checks, id, { books: advertiser, waiting: waiting.all, setAside, inSlot: account });
  }
  const held = account.heldMillicents;
  if (slot.holds.sumMillicents !== null) {
    checks.equal("slot_held", `${id} holds`, slot.holds.sumMillicents, held);
  }
  const heldByCampaigns = slot.campaigns.reduce((total, campaign) => total + campaign.heldMillicents, 0);
  checks.equal("slot_held", `${id} campaigns`, heldByCampaigns, held);
  const balance = { limit: account.depositedMillicents, used: account.spentMillicents + held };
  checkLimit(checks, "slot_balance", id, { ...balance, late: advertiser.late.all, lowered: null });

  const known = new Map(slot.campaigns.map((campaign) => [campaign.campaignId, campaign]));
  for (const campaign of advertiser.campaigns) {
    const inSlot = known.get(campaign.campaignId);
    checks.equal("slot_present", campaign.campaignId, 1, inSlot === undefined ? 0 : 1);
    if (inSlot !== undefined) checkCampaign(checks, advertiser, campaign, inSlot, figures);
  }
  return checks;
}

function checkBacklog(checks: Comparisons, id: string, { slot, overdueRecords }: SlotFigures): void {
  checks.equal("outbox_age", id, 0, overdueRecords);
  checks.equal("lapsed_holds", id, 0, slot.holds.lapsedLongAgo);
  if (slot.givebacks.some.length === 0) checks.equal("givebacks", id, 0, slot.givebacks.count);
  // Each by its name: one that is there in every look is stuck, while others come and go.
  for (const matchId of slot.givebacks.some) checks.equal("givebacks", matchId, 0, 1);
}

function checkCampaign(
  checks: Comparisons,
  advertiser: AdvertiserFigures,
  campaign: CampaignFigures,
  inSlot: CampaignBooks,
  { waiting, newestVersions, publishedVersions }: SlotFigures,
): void {
  const id = campaign.campaignId;
  const published = publishedVersions.get(id) ?? 0;
  checks.atMost("slot_version", id, inSlot.version, published);
  if (inSlot.version === campaign.version || inSlot.version < published) {
    checkSettings(checks, campaign, inSlot);
  }
  if (waiting !== null) {
    checkTotals(checks, id, {
      books: campaign,
      waiting: waiting.byCampaign.get(id) ?? NOTHING_WAITS,
      setAside: advertiser.poison.byCampaign.get(id) ?? NOTHING_WAITS,
      inSlot,
    });
    const written = campaign.spentByDay.get(inSlot.day);
    if (written !== undefined) {
      const waitingToday = waiting.priceByDay.get(`${id} ${inSlot.day}`) ?? 0n;
      checks.atMost("slot_day", id, inSlot.daySpentMillicents, written + waitingToday);
    }
  }
  if (inSlot.holdsMillicents !== null) {
    checks.equal("slot_held", id, inSlot.holdsMillicents, inSlot.heldMillicents);
  }
  if (inSlot.differingShares !== null) checks.equal("slot_shares", id, 0, inSlot.differingShares);
  const newest = newestVersions.get(id) ?? campaign.versions.newest;
  const isLowered = newest < inSlot.version;
  const { budget, dailyCap } = limitsOf(inSlot);
  const late = advertiser.late.byCampaign.get(id) ?? 0n;
  checkLimit(checks, "slot_budget", id, {
    ...budget,
    late,
    lowered: isLowered ? inSlot.spentMillicents : null,
  });
  if (dailyCap === null) return;
  const lateToday = advertiser.late.byDay.get(`${id} ${inSlot.day}`) ?? 0n;
  checkLimit(checks, "slot_daily_cap", id, { ...dailyCap, late: lateToday, lowered: isLowered ? 0 : null });
}

/** Spent and impressions of an advertiser or a campaign: what the slot has is written, or waits to be. */
function checkTotals(
  checks: Comparisons,
  id: string,
  figures: {
    books: { spentMillicents: bigint; impressions: bigint };
    waiting: WaitingFigures;
    setAside: WaitingFigures;
    inSlot: { spentMillicents: number; impressions: number };
  },
): void {
  const { books, waiting, setAside, inSlot } = figures;
  const spent = books.spentMillicents + waiting.priceMillicents;
  const impressions = books.impressions + waiting.impressions;
  const inSlotSpent = BigInt(inSlot.spentMillicents);
  const inSlotImpressions = BigInt(inSlot.impressions);
  const expectedSpent = withSetAside(spent, setAside.priceMillicents, inSlotSpent);
  checks.equal("slot_spent", id, expectedSpent, inSlotSpent);
  const expectedImpressions = withSetAside(impressions, setAside.impressions, inSlotImpressions);
  checks.equal("slot_impressions", id, expectedImpressions, inSlotImpressions);
}

/** Records that were set aside are a finding of their own: the slot may have them still, or have taken them back. */
function withSetAside(written: bigint, setAside: bigint, found: bigint): bigint {
  return found > written && found <= written + setAside ? found : written;
}

function checkSettings(checks: Comparisons, campaign: CampaignFigures, inSlot: CampaignBooks): void {
  const id = campaign.campaignId;
  checks.equal("slot_settings", `${id} budget`, campaign.budgetMillicents, inSlot.budgetMillicents);
  // A cap is never zero: that stands for none.
  const cap = campaign.dailyCapMillicents ?? 0n;
  checks.equal("slot_settings", `${id} daily cap`, cap, inSlot.dailyCapMillicents ?? 0);
  checks.equal("slot_settings", `${id} status`, 0, campaign.status === inSlot.status ? 0 : 1);
}

/** A limit, and what is spent and held of it. */
interface Limit {
  limit: number;
  used: number;
}

function limitsOf(inSlot: CampaignBooks): { budget: Limit; dailyCap: Limit | null } {
  const held = inSlot.heldMillicents;
  const cap = inSlot.dailyCapMillicents;
  return {
    budget: { limit: inSlot.budgetMillicents, used: inSlot.spentMillicents + held },
    dailyCap: cap === null ? null : { limit: cap, used: inSlot.daySpentMillicents + held },
  };
}

/** Whether a campaign has used more than a limit, so that the reason has to be looked for. */
export function isOverLimit(inSlot: CampaignBooks): boolean {
  const { budget, dailyCap } = limitsOf(inSlot);
  return budget.used > budget.limit || (dailyCap !== null && dailyCap.used > dailyCap.limit);
}

/**
 * What is taken always fits, and what is taken never grows by itself. A limit is passed only when it was lowered while
 * holds were out (then nothing was taken under the present version, and `lowered` is what has to fit in any case), or by the
 * sum of the charges that a restored slot had not known, and was told of late.
 */
function checkLimit(
  checks: Comparisons,
  check: "slot_budget" | "slot_daily_cap" | "slot_balance",
  id: string,
  { limit, used, late, lowered }: Limit & { late: bigint; lowered: number | null },
): void {
  const found = used > limit && lowered !== null ? lowered : used;
  checks.atMost(check, id, found > limit ? BigInt(limit) + late : limit, found);
}
