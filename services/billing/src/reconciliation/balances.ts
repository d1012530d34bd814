import type { WalletSummary } from "@diegetic/hot-state";

/** What the ledger says of one campaign, microcents as they stand in it. */
export interface LedgerBalances {
  chargeMicrocents: bigint;
  feeMicrocents: bigint;
  /** Impressions of the charges. */
  impressions: bigint;
}

/** What Postgres says of a campaign, at one moment. */
export interface CampaignBalances {
  campaignId: string;
  status: string;
  budgetMillicents: bigint;
  dailyCapMillicents: bigint | null;
  /** UTC day on which its settings were last changed. */
  changedOn: string;
  spentMillicents: bigint;
  impressions: bigint;
  version: number;
  publishedVersion: number;
  rollups: { impressions: bigint; spentMillicents: bigint; affinityScoreMillionths: bigint };
  /** Rollups of yesterday, today and tomorrow, millicents by UTC day. */
  spentByDay: ReadonlyMap<string, bigint>;
  ledger: LedgerBalances;
  creatives: { impressions: bigint; spentMillicents: bigint; affinityScoreMillionths: bigint };
  countries: { impressions: bigint; spentMillicents: bigint };
  /** What its games have earned by it: the ledger has that by game alone. */
  games: { impressions: bigint; earningMicrocents: bigint };
  versions: { impressions: bigint /** The newest version that was billed; 0: none. */; newest: number };
  uniqueUsers: { rows: bigint; counted: bigint /** Members whose count is wrong. */; differing: bigint };
}

/** What Postgres says of an advertiser, at one moment. */
export interface AdvertiserBalances {
  advertiserId: string;
  depositedMillicents: bigint;
  spentMillicents: bigint;
  impressions: bigint;
  version: number;
  publishedVersion: number;
  /** The epoch of the wallet as it was last restored. */
  recoveryEpoch: bigint;
  /** What late charges add to the wallet, millicents: by so much it may pass a limit that was full before. */
  late: {
    all: bigint;
    byCampaign: ReadonlyMap<string, bigint> /** By `<campaign> <UTC day>`. */;
    byDay: ReadonlyMap<string, bigint>;
  };
  /** What the wallet has still to be told; it differs by as much. */
  pendingSettlements: bigint;
  depositRowsMillicents: bigint;
  depositLedgerMicrocents: bigint;
  /** Records quarantined; those whose price cannot be read count with zero. `unresolved`: nobody has settled them yet. */
  quarantined: {
    unresolved: bigint;
    count: bigint;
    priceMillicents: bigint;
    byCampaign: ReadonlyMap<string, WaitingBalances>;
  };
  campaigns: CampaignBalances[];
}

/** Committed impressions that are on their way into the books. */
export interface WaitingBalances {
  impressions: bigint;
  priceMillicents: bigint;
}

/** The wallet of an advertiser beside the books of the same moment. */
export interface WalletBalances {
  wallet: WalletSummary;
  /** Records of the outbox that Postgres does not have; null: too many to look up, or billing was writing. */
  waiting: {
    all: WaitingBalances;
    byCampaign: ReadonlyMap<string, WaitingBalances>;
    /** By `<campaign> <UTC day>`, millicents. */
    priceByDay: ReadonlyMap<string, bigint>;
  } | null;
  /** Records that have waited for too long, whether Postgres has them or not. */
  overdueRecords: number;
  /** Campaigns with more spent and held than they may: the newest version that a hold or a charge was taken under. */
  newestVersions: ReadonlyMap<string, number>;
  /** Which version of the advertiser and of each campaign counted as published before the wallet was read. */
  publishedVersions: ReadonlyMap<string, number>;
}

export const NOTHING_WAITS: WaitingBalances = { impressions: 0n, priceMillicents: 0n };
