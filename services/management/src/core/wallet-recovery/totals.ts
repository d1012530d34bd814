import type { ImpressionRecord } from "@diegetic/contracts";
import { DAY_MS, utcDay } from "@diegetic/database";
import {
  type AccountTotals,
  type FrozenWallet,
  type OwnTotals,
  type RestoredCampaign,
  sliceOf,
} from "@diegetic/hot-state";
import { centsToMillicents } from "@diegetic/money";
import type { KnownAdvertiser, UnsettledImpression } from "./load.ts";

/** The totals of a restored wallet: Postgres' totals plus its outbox. */
export interface WalletTotals extends Pick<AccountTotals, "spentMillicents" | "impressions"> {
  campaigns: RestoredCampaign[];
  /** By slice. */
  settledMarks: string[][];
}

/** A frozen wallet, or slice of one, with what decides whether it is intact. */
export interface FoundSlice {
  slice: number;
  found: FrozenWallet;
  /** What each of the totals' campaigns has spent and holds in it; null: it lacks the campaign. */
  campaigns: readonly (OwnTotals | null)[];
  /** Marks of the unsettled impressions (`marksOf`) that it has. */
  marks: ReadonlySet<string>;
}

/** Adds the outbox records that Postgres has neither written nor quarantined to Postgres' totals. */
export function totalsOf(
  known: KnownAdvertiser,
  outbox: readonly ImpressionRecord[],
  day: string,
): WalletTotals {
  const counted = outbox.filter(({ impression_id }) => !known.handledImpressionIds.has(impression_id));
  const countedByCampaign = byCampaign(counted);
  const campaigns = known.campaigns.map((campaign): RestoredCampaign => {
    const own = countedByCampaign.get(campaign.id) ?? [];
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
    settledMarks: Array.from({ length: known.slices }, (_, slice) => [
      ...counted.filter((record) => sliceOf(record) === slice).map(({ impression_id }) => impression_id),
      ...unsettledIn(known, slice).map(({ kind, impressionId }) =>
        kind === "late" ? impressionId : `-${impressionId}`,
      ),
    ]),
  };
}

/**
 * Whether an existing wallet, with the slices that were restored with it, has every charge in Postgres: then it lost no
 * keys or money, and its holds and matches stay valid. Its epoch may be any since the last verified one, because later
 * restores may have failed. Pending settlements are no difference, but a late charge that the wallet does not know has
 * been lost before.
 */
export function isIntact(
  slices: readonly FoundSlice[],
  { known, totals }: { known: KnownAdvertiser; totals: WalletTotals },
): boolean {
  if (known.unsettled === null) return false;
  if (!slices.every((slice) => isUndamaged(slice, known))) return false;
  if (missingLateIds(slices, known).length > 0) return false;
  const reversed = slices.flatMap(({ slice, found, marks }) =>
    unsettledIn(known, slice).filter(
      (one) => one.kind === "reversed" && isCounted(found, one, marks) && !marks.has(`-${one.impressionId}`),
    ),
  );
  const agrees = (
    parts: readonly { spentMillicents: number; impressions: number }[],
    expected: { spentMillicents: number; impressions: number },
    taken: readonly UnsettledImpression[],
  ) =>
    parts.reduce((sum, part) => sum + part.spentMillicents, 0) === expected.spentMillicents + sumOf(taken) &&
    parts.reduce((sum, part) => sum + part.impressions, 0) === expected.impressions + taken.length;
  return (
    agrees(
      slices.map(({ found }) => found),
      totals,
      reversed,
    ) &&
    totals.campaigns.every((campaign, index) =>
      agrees(
        slices.map(({ campaigns }) => campaigns[index] ?? NOTHING),
        campaign,
        reversed.filter(({ campaignId }) => campaignId === campaign.campaignId),
      ),
    )
  );
}

/** By slice and campaign (in the order of the totals), what stays reserved for kept holds. */
export type Reserved = (slice: number, campaign: number) => number;

/**
 * What was reserved in slices for the holds that they keep, where restored limits leave it beside what is spent and what the
 * advertiser's own wallet holds; otherwise nothing of that campaign, or of any: a server may have lost that it was returned.
 */
export function reservedInSlices(
  { depositedMillicents, spentMillicents, campaigns }: WalletTotals & { depositedMillicents: number },
  found: readonly FoundSlice[],
  keeps: readonly boolean[],
): Reserved {
  const keptIn = (slice: number, campaign: number) =>
    keeps[slice] ? (found[slice]?.campaigns[campaign] ?? null) : null;
  const slices = found.map(({ slice }) => slice).filter((slice) => slice > 0);
  const reservedOf = (campaign: number) =>
    slices.reduce((sum, slice) => sum + (keptIn(slice, campaign)?.reservedMillicents ?? 0), 0);
  const ownHeld = (campaign: number) => keptIn(0, campaign)?.heldMillicents ?? 0;
  const fits = campaigns.map((one, campaign) => {
    const ofDay =
      one.dailyCapMillicents === null
        ? Number.POSITIVE_INFINITY
        : one.dailyCapMillicents - one.daySpentMillicents;
    const left = Math.min(one.budgetMillicents - one.spentMillicents, ofDay);
    return reservedOf(campaign) <= left - ownHeld(campaign);
  });
  const used = campaigns.reduce(
    (sum, _, campaign) => sum + ownHeld(campaign) + (fits[campaign] ? reservedOf(campaign) : 0),
    spentMillicents,
  );
  return (slice, campaign) =>
    fits[campaign] && used <= depositedMillicents ? (keptIn(slice, campaign)?.reservedMillicents ?? 0) : 0;
}

function isUndamaged({ found, campaigns }: FoundSlice, known: KnownAdvertiser): boolean {
  const heldMillicents = campaigns.reduce((sum, campaign) => sum + (campaign?.heldMillicents ?? 0), 0);
  return (
    isTrustedEpoch(found, known) &&
    found.heldMillicents === heldMillicents &&
    found.heldMillicents === found.holdsMillicents
  );
}

const NOTHING = { spentMillicents: 0, heldMillicents: 0, impressions: 0 };

function byCampaign(records: readonly ImpressionRecord[]): Map<string, ImpressionRecord[]> {
  const groups = new Map<string, ImpressionRecord[]>();
  for (const record of records) {
    const { campaign_id: campaignId } = record.match;
    const group = groups.get(campaignId);
    if (group === undefined) groups.set(campaignId, [record]);
    else group.push(record);
  }
  return groups;
}

/** Today, or tomorrow if something was recorded there, because the clock of Redis was ahead. Later days are ignored. */
function spendingDay(days: readonly string[], today: string): string {
  const tomorrow = utcDay(Date.parse(today) + DAY_MS);
  return days.includes(tomorrow) ? tomorrow : today;
}

/** Late charges that the wallet did not have when it was found. */
export function missingLateIds(slices: readonly FoundSlice[], known: KnownAdvertiser): string[] {
  return slices.flatMap(({ slice, found, marks }) =>
    unsettledIn(known, slice)
      .filter((one) => one.kind === "late" && !isCounted(found, one, marks))
      .map(({ impressionId }) => impressionId),
  );
}

function unsettledIn({ unsettled }: KnownAdvertiser, slice: number): UnsettledImpression[] {
  return (unsettled ?? []).filter((one) => one.slice === slice);
}

function isCounted(
  found: FrozenWallet,
  { impressionId, committedInEpoch }: UnsettledImpression,
  marks: ReadonlySet<string>,
): boolean {
  return found.epoch === String(committedInEpoch) || marks.has(impressionId);
}

/** Whether it is no older copy of the wallet. */
export function isTrustedEpoch({ epoch }: FrozenWallet, { verifiedEpoch }: KnownAdvertiser): boolean {
  return epoch !== "" && Number(epoch) >= verifiedEpoch;
}

/** The marks by which a slice of a wallet knows that it includes, or has reversed, these impressions. */
export function marksOf(known: KnownAdvertiser, slice: number): string[] {
  return unsettledIn(known, slice).flatMap(({ kind, impressionId }) =>
    kind === "late" ? [impressionId] : [impressionId, `-${impressionId}`],
  );
}

function sumOf(impressions: readonly UnsettledImpression[]): number {
  return impressions.reduce((sum, { priceMillicents }) => sum + priceMillicents, 0);
}

function priceOf(records: readonly ImpressionRecord[]): number {
  return records.reduce((sum, { match }) => sum + match.price_millicents, 0);
}
