import type { CampaignStatus, ImpressionRecord, MatchFacts } from "@diegetic/contracts";
import type { Millicents } from "@diegetic/money";
import type {
  FrozenWallet,
  RestoreClaim,
  RestoreRequest,
  Settlement,
  SettleResult,
  UnfrozenWallet,
} from "./recovery-types.ts";

/** A creative that may be served, and how often one player session may be given it. */
export interface CreativeAllowance {
  creativeId: string;
  maxUses: number;
}

export interface ReserveRequest {
  /** What travels with the hold; names the match, the wallet, the session and the price. */
  match: MatchFacts;
  /** The version of the campaign that the caller has decided on. */
  campaignVersion: number;
  holdTtlMs: number;
  /**
   * When the current player session began, once that is known from `admit`: caps that an earlier session left behind
   * are then reset. Null: they count as they are, and the caller asks `isCapStale` about `capSinceMs`.
   */
  sessionStartedMs: number | null;
  sessionIdleMs: number;
  /** The match's id carries its facts: they are forgotten once the match is billed only by its id. Default: false. */
  isCarried?: boolean;
  /** 1 to 100, in a stable order. */
  creatives: readonly CreativeAllowance[];
}

export const RESERVE_REFUSALS = [
  "unknown_wallet",
  "stale_version",
  "behind",
  "not_active",
  "balance",
  "budget",
  "daily_cap",
  "creative_cap",
  "developer_share",
] as const;
export type ReserveRefusal = (typeof RESERVE_REFUSALS)[number];

export type ReserveResult =
  | {
      outcome: "held";
      creativeId: string;
      /** How often the session had been served the creative before. */
      timesSeen: number;
      lapsesAtMs: number;
      /** Since when the caps are counted that have chosen the creative. */
      capSinceMs: number;
      /** The epoch since which the wallet's matches are valid. */
      validFromEpoch: number;
    }
  | {
      outcome: "refused";
      reason: ReserveRefusal;
      capSinceMs: number | null;
      lasts: RefusalLasts;
    };

/**
 * What ends a lack of money. Null: the end of a hold can. `version`: only a newer version of the campaign.
 * `accountVersion`: only a newer version of the account than this one. A number: a newer version of the campaign, or the end of
 * the UTC day after so many milliseconds.
 */
export type RefusalLasts = "version" | { accountVersion: number } | number | null;

/** A match as its id carries it. */
export interface CarriedMatch {
  facts: MatchFacts;
  /** When it was held, by the clock of Redis. */
  heldAtMs: number;
  /** As `reserve` answered it: the match is void when it is another one by now. */
  validFromEpoch: number;
}

export interface CommitRequest {
  advertiserId: string;
  campaignId: string;
  gameId: string;
  creativeId: string;
  /** Names the request: for 24 hours after the charge one with the same name returns the first record. */
  operationId: string;
  /** Whether it may come again after Redis has forgotten it: then the record names it, for billing. Default: false. */
  isKeyed?: boolean;
  /** Null: the oldest unbilled match of the creative in the game whose hold is open or has lapsed only recently. */
  matchId: string | null;
  /** What its id carries: charged from, once the wallet has forgotten the match. */
  carried?: CarriedMatch | null;
  /** When the lease expires under which the request was checked, by the clock of Redis. Undefined: without a lease. */
  leaseExpiresMs?: number;
}

/** What the wallet still knows of an earlier charge: all that its answer said. */
export type ReplayedRecord = Pick<ImpressionRecord, "impression_id" | "creative_id" | "recorded_at_ms"> & {
  match: Pick<MatchFacts, "match_id" | "campaign_id" | "game_id" | "price_millicents">;
};

export const COMMIT_REFUSALS = ["unknown_wallet", "no_match", "balance", "budget", "daily_cap"] as const;
export type CommitRefusal = (typeof COMMIT_REFUSALS)[number];

export type CommitResult =
  | { outcome: "charged"; record: ImpressionRecord; replay: false }
  /** It had been charged before. */
  | { outcome: "charged"; record: ReplayedRecord; replay: true }
  | { outcome: "refused"; reason: CommitRefusal };

/** Names a hold and the keys that it touches. */
export interface HoldReference {
  matchId: string;
  advertiserId: string;
  campaignId: string;
  gameId: string;
  sessionKey: string;
  priceMillicents: Millicents;
  /** Null: the hold was taken before open holds were counted by developer. */
  developerAccountId: string | null;
  /** Names the hour that the match is counted in; null where only a lapsed hold is to be ended. */
  matchedAtMs: number | null;
}

/** A hold whose time is over. */
export interface LapsedHold extends HoldReference {
  lapsesAtMs: number;
}

/** `cancelled`: nobody saw the answer, also the caps forget it. `lapsed`: its time is over. */
export type ReleaseReason = "cancelled" | "lapsed";

export const RELEASE_CODES = ["released", "not_open", "not_due", "unknown_wallet"] as const;
export type ReleaseResult = (typeof RELEASE_CODES)[number];

/** What management tells the wallet of an advertiser. */
export interface AccountState {
  advertiserId: string;
  version: number;
  depositedMillicents: Millicents;
}

/** What management tells the wallet of a campaign. */
export interface CampaignState {
  advertiserId: string;
  campaignId: string;
  version: number;
  status: CampaignStatus;
  budgetMillicents: Millicents;
  dailyCapMillicents: Millicents | null;
  /** The totals of Postgres, used only when the campaign is new there. Null: it is not thought to be. */
  seed: {
    spentMillicents: Millicents;
    impressions: number;
    /** The UTC day (YYYY-MM-DD) that `daySpentMillicents` was spent on. */
    day: string;
    daySpentMillicents: Millicents;
  } | null;
}

/** `older`: the wallet has a newer version already. `unknown_wallet`: it has to be restored first. Neither changed anything. */
export const APPLY_CODES = ["applied", "older", "unknown_wallet"] as const;
export type ApplyResult = (typeof APPLY_CODES)[number];

/** `unknown_campaign`: it is new there, and no seed was given. Nothing was changed. */
export const APPLY_CAMPAIGN_CODES = [...APPLY_CODES, "unknown_campaign"] as const;
export type ApplyCampaignResult = (typeof APPLY_CAMPAIGN_CODES)[number];

export type CeilingResult =
  | { outcome: "ok" }
  /** More than the ceiling is spent already; nothing was changed. */
  | { outcome: "spent"; spentMillicents: Millicents }
  | { outcome: "unknown_wallet" };

export interface AccountTotals {
  version: number;
  depositedMillicents: Millicents;
  spentMillicents: Millicents;
  heldMillicents: Millicents;
  impressions: number;
  /** Changes when the wallet is restored; what it was restored with stands in Postgres under the same number. */
  epoch: number;
}

export interface CampaignTotals {
  version: number;
  status: CampaignStatus;
  budgetMillicents: Millicents;
  ceilingMillicents: Millicents | null;
  dailyCapMillicents: Millicents | null;
  spentMillicents: Millicents;
  heldMillicents: Millicents;
  /** The UTC day (YYYY-MM-DD) that `daySpentMillicents` was spent on: not necessarily today. */
  day: string;
  daySpentMillicents: Millicents;
  impressions: number;
}

/** What Redis knows of a campaign by game. */
export interface CampaignGames {
  /** The matches are those from here on: of the hour of the question and the 23 whole hours (UTC) before it. Unix milliseconds. */
  sinceMs: number;
  /** By game id; null: games beyond the first of an hour, about a thousand. */
  matches: Map<string | null, number>;
  /** Committed in the same hours, by the clock of the match tier. */
  impressions: Map<string | null, number>;
  heldMillicents: Map<string, Millicents>;
}

/** What stands in a hash and is not what belongs there. */
export interface DamagedEntry {
  /** Its name in the hash. */
  field: string;
  text: string;
}

/** Pages of a hash that changes meanwhile: what stays in it is returned at least once until the cursor is null. */
export interface Page<Item> {
  items: Item[];
  /** What of the page is no item. */
  damaged: DamagedEntry[];
  cursor: string | null;
}

/** A lapsed match whose place in the player session is still to be given back by `unadmit`. */
export interface SessionRelease {
  matchId: string;
  gameId: string;
  sessionKey: string;
}

/** The money of the advertisers' wallets. Every call that changes something may be repeated after a lost answer. */
export interface MoneyCommands {
  /** Holds the price of one impression and picks the creative: all or nothing. Idempotent by match id. */
  reserve(request: ReserveRequest): Promise<ReserveResult>;
  /**
   * Turns a match into a charge. Idempotent by match id, and by impression id where no match id is given. Rejects with
   * LeaseExpired, and has charged nothing then.
   */
  commit(request: CommitRequest): Promise<CommitResult>;
  /** Ends a hold without a charge. `not_due` only for the reason `lapsed`. Idempotent by match id. */
  release(hold: HoldReference, reason: ReleaseReason): Promise<ReleaseResult>;
  applyAccount(account: AccountState): Promise<ApplyResult>;
  applyCampaign(campaign: CampaignState): Promise<ApplyCampaignResult>;
  /**
   * First step of lowering a budget: from now on no charge passes the ceiling. The next newer `applyCampaign` takes it
   * away; null takes it away when the budget was not lowered after all. Callers change one campaign one at a time.
   */
  setBudgetCeiling(
    advertiserId: string,
    campaignId: string,
    ceilingMillicents: Millicents | null,
  ): Promise<CeilingResult>;
  /** Looks whether the wallet may serve, and freezes it when it is not of the epoch that Postgres knows. */
  freezeUnlessLive(
    advertiserId: string,
    epoch: number,
    claim?: RestoreClaim,
  ): Promise<FrozenWallet | UnfrozenWallet>;
  /** Which of these marks the wallet has: of what it was restored with, and of what was settled since. */
  findSettledMarks(advertiserId: string, marks: readonly string[]): Promise<Set<string>>;
  /** Lets a frozen wallet serve again. `changed`: it is not as it was found any more, nothing was changed. */
  restoreWallet(request: RestoreRequest): Promise<"restored" | "changed">;
  /** Brings the wallet's totals in agreement with Postgres. Idempotent by kind and impression id. */
  settle(settlement: Settlement): Promise<SettleResult>;
  /** Also answers for a frozen wallet. Null: the wallet is not there. */
  readAccount(advertiserId: string): Promise<AccountTotals | null>;
  /** Null: the campaign is not in the wallet. */
  readCampaign(advertiserId: string, campaignId: string): Promise<CampaignTotals | null>;
  /** Matches and impressions of a campaign in the last 24 hours, and what is held of it, by game. */
  readCampaignGames(advertiserId: string, campaignId: string, nowMs: number): Promise<CampaignGames>;
  /** Committed impressions of each advertiser (at most 1 000), written to Postgres or not. Null: no such wallet. */
  committedCounts(advertiserIds: readonly string[]): Promise<Map<string, number | null>>;
  /** Committed impressions that are not acknowledged; about `limit` (1 to 500) a page. */
  listOutbox(advertiserId: string, limit: number, cursor?: string): Promise<Page<ImpressionRecord>>;
  /** Whether the outbox has a record under this id. */
  isInOutbox(advertiserId: string, impressionId: string): Promise<boolean>;
  /** Forgets records (at most 500) that are safely in Postgres; how many were there. */
  ackOutbox(advertiserId: string, impressionIds: readonly string[]): Promise<number>;
  /**
   * Holds (at most `limit`, 1 to 500) whose time is over, the oldest first but for `skip` of them, and when the next one
   * after them lapses: null when there is none. `damaged`: members among them that name no hold.
   */
  listLapsed(
    advertiserId: string,
    limit: number,
    skip?: number,
  ): Promise<{ holds: LapsedHold[]; damaged: string[]; nextLapsesAtMs: number | null }>;
  /** Lapsed matches whose place in a player session is still taken; about `limit` (1 to 500) a page. */
  listSessionReleases(advertiserId: string, limit: number, cursor?: string): Promise<Page<SessionRelease>>;
  /** Forgets session releases (at most 500) that are done; how many were there. */
  ackSessionReleases(advertiserId: string, matchIds: readonly string[]): Promise<number>;
}
