import type { WalletSummary } from "@diegetic/hot-state";

/** The ledger's balances of one campaign, microcents as stored. */
export interface LedgerBalances {
  chargeMicrocents: bigint;
  feeMicrocents: bigint;
  /** Impressions of the charges. */
  impressions: bigint;
}

/** Postgres' balances of a campaign, all read at one moment. */
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
  /** What its games earned from it; the ledger records earnings by game only. */
  games: { impressions: bigint; earningMicrocents: bigint };
  versions: { impressions: bigint /** The newest version that was billed; 0: none. */; newest: number };
  uniqueUsers: { rows: bigint; counted: bigint /** Members whose count is wrong. */; differing: bigint };
}

/** Postgres' balances of an advertiser, all read at one moment. */
export interface AdvertiserBalances {
  advertiserId: string;
  depositedMillicents: bigint;
  spentMillicents: bigint;
  impressions: bigint;
  version: number;
  publishedVersion: number;
  /** The wallet's last recovery epoch. */
  recoveryEpoch: bigint;
  /** Late charges, millicents: the wallet may exceed a limit by this amount. */
  late: {
    all: bigint;
    byCampaign: ReadonlyMap<string, bigint> /** By `<campaign> <UTC day>`. */;
    byDay: ReadonlyMap<string, bigint>;
  };
  /** Settlements that the wallet does not have yet; it differs by this amount. */
  pendingSettlements: bigint;
  depositRowsMillicents: bigint;
  depositLedgerMicrocents: bigint;
  /** Quarantined records; one with an unreadable price counts as zero. `unresolved`: no operator has resolved it. */
  quarantined: {
    unresolved: bigint;
    count: bigint;
    priceMillicents: bigint;
    byCampaign: ReadonlyMap<string, WaitingBalances>;
  };
  campaigns: CampaignBalances[];
}

/** Committed impressions that Postgres does not have yet. */
export interface WaitingBalances {
  impressions: bigint;
  priceMillicents: bigint;
}

/** An advertiser's wallet, and Postgres' balances at the same moment. */
export interface WalletBalances {
  wallet: WalletSummary;
  /** Outbox records that Postgres does not have; null: too many to look up, or billing was writing. */
  waiting: {
    all: WaitingBalances;
    byCampaign: ReadonlyMap<string, WaitingBalances>;
    /** By `<campaign> <UTC day>`, millicents. */
    priceByDay: ReadonlyMap<string, bigint>;
  } | null;
  /** Records that have waited too long, whether Postgres has them or not. */
  overdueRecords: number;
  /** For campaigns above a limit: the newest version under which a hold or charge was taken. */
  newestVersions: ReadonlyMap<string, number>;
  /** Published versions of the advertiser and its campaigns, read before the wallet. */
  publishedVersions: ReadonlyMap<string, number>;
}

export const NOTHING_WAITS: WaitingBalances = { impressions: 0n, priceMillicents: 0n };
