import type { ImpressionRecord } from "@diegetic/contracts";
import { utcDay } from "@diegetic/database";
import type { AccountTotals, CampaignTotals, FrozenWallet, RestoredCampaign } from "@diegetic/hot-state";
import { centsToMillicents } from "@diegetic/money";
import type { KnownAdvertiser, UnsettledImpression } from "./load.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

/** The totals with which a wallet is to go on: those of Postgres, and what its outbox has on top of them. */
export interface WalletTotals extends Pick<AccountTotals, "spentMillicents" | "impressions"> {
  campaigns: RestoredCampaign[];
  settledMarks: string[];
}

/** Adds the records of the wallet's outbox that Postgres has neither written nor quarantined to what Postgres knows. */
export function totalsOf(
  known: KnownAdvertiser,
  outbox: readonly ImpressionRecord[],
  day: string,
): WalletTotals {
  const counted = outbox.filter(({ impression_id }) => !known.handledImpressionIds.has(impression_id));
  const campaigns = known.campaigns.map((campaign): RestoredCampaign => {
    const own = counted.filter(({ match }) => match.campaign_id === campaign.id);
    const days = new Map(campaign.spentMillicentsByDay);
    for (const { recorded_at_ms, match } of own) {
      const on = utcDay(recorded_at_ms);
      days.set(on, (days.get(on) ?? 0) + match.price_millicents);
    }
    const spentOn = spendingDay([...days.keys()], day);
    return {
      campaignId: campaign.id,
      version: campaign.version,
      status: campaign.status,
      budgetMillicents: centsToMillicents(campaign.budgetCents),
      dailyCapMillicents: campaign.dailyCapCents === null ? null : centsToMillicents(campaign.dailyCapCents),
      spentMillicents: campaign.spentMillicents + priceOf(own),
      impressions: campaign.impressions + own.length,
      day: spentOn,
      daySpentMillicents: days.get(spentOn) ?? 0,
    };
  });
  return {
    spentMillicents: known.spentMillicents + priceOf(counted),
    impressions: known.impressions + counted.length,
    campaigns,
    settledMarks: [
      ...counted.map(({ impression_id }) => impression_id),
      ...(known.unsettled ?? []).map(({ kind, impressionId }) =>
        kind === "late" ? impressionId : `-${impressionId}`,
      ),
    ],
  };
}

/**
 * Whether a wallet that was found has every charge that Postgres has: then it has not forgotten anything that matters, nor
 * lost some of its keys, and its holds and matches may live on. It may be of any epoch since the one that is known to have
 * reached it: later ones may have been begun in vain. What Postgres has to tell it still is no difference, but a late charge
 * that it does not know was forgotten once.
 * @param marks of the unsettled impressions (`marksOf`), those that the wallet has.
 */
export function isIntact(
  found: FrozenWallet,
  { known, totals }: { known: KnownAdvertiser; totals: WalletTotals },
  campaigns: readonly (CampaignTotals | null)[],
  marks: ReadonlySet<string>,
): boolean {
  const heldMillicents = campaigns.reduce((sum, campaign) => sum + (campaign?.heldMillicents ?? 0), 0);
  if (!isTrustedEpoch(found, known) || known.unsettled === null) return false;
  if (found.heldMillicents !== heldMillicents || found.heldMillicents !== found.holdsMillicents) return false;
  if (missingLateIds(found, known, marks).length > 0) return false;
  const reversed = known.unsettled.filter(
    (one) => one.kind === "reversed" && isCounted(found, one, marks) && !marks.has(`-${one.impressionId}`),
  );
  const agrees = (
    wallet: { spentMillicents: number; impressions: number },
    expected: { spentMillicents: number; impressions: number },
    taken: readonly UnsettledImpression[],
  ) =>
    wallet.spentMillicents === expected.spentMillicents + sumOf(taken) &&
    wallet.impressions === expected.impressions + taken.length;
  return (
    agrees(found, totals, reversed) &&
    totals.campaigns.every((campaign, index) =>
      agrees(
        campaigns[index] ?? { spentMillicents: 0, impressions: 0 },
        campaign,
        reversed.filter(({ campaignId }) => campaignId === campaign.campaignId),
      ),
    )
  );
}

/** Today, or tomorrow when something was recorded there: the clock of Redis was ahead. What lies further ahead is no day to spend on. */
function spendingDay(days: readonly string[], today: string): string {
  const tomorrow = utcDay(Date.parse(today) + DAY_MS);
  return days.includes(tomorrow) ? tomorrow : today;
}

/** Late charges that a wallet did not have when it was found. */
export function missingLateIds(
  found: FrozenWallet,
  { unsettled }: KnownAdvertiser,
  marks: ReadonlySet<string>,
): string[] {
  return (unsettled ?? [])
    .filter((one) => one.kind === "late" && !isCounted(found, one, marks))
    .map(({ impressionId }) => impressionId);
}

function isCounted(
  found: FrozenWallet,
  { impressionId, committedInEpoch }: UnsettledImpression,
  marks: ReadonlySet<string>,
): boolean {
  return found.epoch === String(committedInEpoch) || marks.has(impressionId);
}

function isTrustedEpoch({ epoch }: FrozenWallet, { verifiedEpoch }: KnownAdvertiser): boolean {
  return epoch !== "" && Number(epoch) >= verifiedEpoch;
}

/** By what a wallet knows that it contains these, or does not contain them any more. */
export function marksOf({ unsettled }: KnownAdvertiser): string[] {
  return (unsettled ?? []).flatMap(({ kind, impressionId }) =>
    kind === "late" ? [impressionId] : [impressionId, `-${impressionId}`],
  );
}

function sumOf(impressions: readonly UnsettledImpression[]): number {
  return impressions.reduce((sum, { priceMillicents }) => sum + priceMillicents, 0);
}

function priceOf(records: readonly ImpressionRecord[]): number {
  return records.reduce((sum, { match }) => sum + match.price_millicents, 0);
}
