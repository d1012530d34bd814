import type { ImpressionRecord } from "@diegetic/contracts";
import type { Millicents } from "@diegetic/money";
import { type StoredTotals, sumCampaigns, sumTotals } from "../money/sliced-totals.ts";
import type { AccountTotals, CampaignTotals } from "../money/types.ts";

/** A campaign's money in the wallet. */
export interface CampaignSummary extends Omit<CampaignTotals, "status"> {
  campaignId: string;
  /** Any text: an unknown status does not make the wallet unreadable. */
  status: string;
  /** Sum of its open holds; null: too many to add up at one moment. */
  holdsMillicents: Millicents | null;
  /** Counts by developer and by game that differ from its open holds; null: too many holds to check. */
  differingShares: number | null;
  /**
   * What the advertiser's own wallet has granted slices since the wallet was restored, and what they have accepted: no more.
   * Absent: the wallet has no slices.
   */
  grants?: { grantedMillicents: Millicents; acceptedMillicents: Millicents };
}

/** An advertiser's wallet at one moment. */
export interface WalletSummary {
  /** By the clock of Redis, Unix milliseconds. */
  readAtMs: number;
  /** Null: there is no wallet, so nothing is served or charged. Not `live`: frozen, to be restored before it serves. */
  account: (AccountTotals & { live: boolean }) | null;
  /** Open holds; `sumMillicents` null: too many to add up at one moment. */
  holds: { count: number; sumMillicents: Millicents | null; lapsedLongAgo: number };
  /** Committed records without an acknowledgement; `records` null: too many to list. */
  outbox: { count: number; records: ImpressionRecord[] | null };
  sessionReleases: {
    count: number;
    /** Match ids of a few, the same ones each time. */
    some: readonly string[];
  };
  campaigns: CampaignSummary[];
}

interface StoredAccount {
  slices: number;
  /** `seq`: the number of changes to its money. */
  changes: number;
}

/** One wallet as it is stored: an advertiser's own one, or a slice. */
export interface StoredWallet extends WalletSummary {
  account: (NonNullable<WalletSummary["account"]> & StoredTotals & StoredAccount) | null;
  campaigns: StoredCampaign[];
}

export type StoredCampaign = CampaignSummary & StoredTotals;

/** An advertiser's own wallet and its slices as one: what each has spent and holds itself, against the advertiser's limits. */
export function combineSlices(own: StoredWallet, slices: readonly StoredWallet[]): WalletSummary {
  const all = [own, ...slices];
  return {
    readAtMs: Math.max(...all.map(({ readAtMs }) => readAtMs)),
    account: combineAccounts(all),
    holds: {
      count: sum(all.map(({ holds }) => holds.count)),
      sumMillicents: sumOrNull(all.map(({ holds }) => holds.sumMillicents)),
      lapsedLongAgo: sum(all.map(({ holds }) => holds.lapsedLongAgo)),
    },
    outbox: {
      count: sum(all.map(({ outbox }) => outbox.count)),
      records: all.some(({ outbox }) => outbox.records === null)
        ? null
        : all.flatMap(({ outbox }) => outbox.records ?? []),
    },
    sessionReleases: {
      count: sum(all.map(({ sessionReleases }) => sessionReleases.count)),
      some: all.flatMap(({ sessionReleases }) => sessionReleases.some),
    },
    campaigns: own.campaigns.flatMap((campaign) => {
      const others = slices.flatMap(({ campaigns }) =>
        campaigns.filter(({ campaignId }) => campaignId === campaign.campaignId),
      );
      return others.length < slices.length ? [] : [combineCampaigns(campaign, others)];
    }),
  };
}

/** Null: one of them is missing. */
function combineAccounts(wallets: readonly StoredWallet[]): WalletSummary["account"] {
  const accounts = wallets.map(({ account }) => account).filter((account) => account !== null);
  const [own] = accounts;
  if (own === undefined || accounts.length < wallets.length) return null;
  const { sliced: _, slices: __, changes: ___, ...settings } = own;
  return {
    ...settings,
    ...sumTotals(accounts),
    // Slices of another epoch wait to be restored.
    live: accounts.every(({ live, epoch }) => live && epoch === own.epoch),
  };
}

function combineCampaigns(own: StoredCampaign, slices: readonly StoredCampaign[]): CampaignSummary {
  const all = [own, ...slices];
  return {
    ...sumCampaigns(own, slices),
    // A slice that has not heard of a version or status is a difference.
    version: Math.min(...all.map(({ version }) => version)),
    status: [...new Set(all.map(({ status }) => status))].join(", "),
    holdsMillicents: sumOrNull(all.map(({ holdsMillicents }) => holdsMillicents)),
    differingShares: sumOrNull(all.map(({ differingShares }) => differingShares)),
    grants: {
      grantedMillicents: (own.sliced?.spentMillicents ?? 0) + (own.sliced?.heldMillicents ?? 0),
      acceptedMillicents: sum(slices.map(({ budgetMillicents }) => budgetMillicents)),
    },
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function sumOrNull(numbers: readonly (number | null)[]): number | null {
  return numbers.some((number) => number === null) ? null : sum(numbers.map(Number));
}
