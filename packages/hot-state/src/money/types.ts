import type { CampaignStatus, ImpressionRecord, MatchFacts } from "@diegetic/contracts";
import type { Millicents } from "@diegetic/money";
import type { CampaignState } from "./campaign-state.ts";
import type {
  FrozenWallet,
  RestoreClaim,
  RestoreRequest,
  RestoreSliceRequest,
  Settlement,
  SettleResult,
  UnfrozenWallet,
} from "./recovery-types.ts";
import type { OwnTotals } from "./sliced-totals.ts";

/**
 * Ads of an advertiser that a player session got more than half of its idle time ago, so that the wallet's counts of them may
 * have expired. Null: none.
 */
export interface EarlierAds {
  matchIds: readonly string[];
  /** When the first of them was admitted. Unix milliseconds. */
  sinceMs: number;
}

/** A creative that may be served, and its maximum number of appearances in one player session. */
export interface CreativeAllowance {
  creativeId: string;
  maxUses: number;
  /** It may have several lines, so `timesSeen` counts lapsed matches too. Default: false. */
  rotatesHooks?: boolean;
}

export interface ReserveRequest {
  /** Stored with the hold; names the match, the wallet, the session and the price. */
  match: MatchFacts;
  /** The version of the campaign that the caller's decision is based on. */
  campaignVersion: number;
  holdTtlMs: number;
  /**
   * When the current player session began, once `admit` has returned it: resets caps that an earlier session left. Null: the
   * caps count unchanged, and the caller checks `capSinceMs` with `isCapStale`.
   */
  sessionStartedMs: number | null;
  /** The session's earlier ads of the advertiser, once `admit` has returned them: counted if `isCapLost`. Default: not checked. */
  earlier?: EarlierAds | null;
  sessionIdleMs: number;
  /** The match id carries its facts, so the wallet drops them once the match can be billed only by its id. Default: false. */
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
      /** How often the session was served the creative before. */
      timesSeen: number;
      lapsesAtMs: number;
      /** When counting of the applied caps began. */
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
 * What can end a lack of money. Null: the end of a hold. `version`: only a newer version of the campaign. `accountVersion`:
 * only a version of the account newer than this one. A number: a newer version of the campaign, or the end of the UTC day
 * after this many milliseconds.
 */
export type RefusalLasts = "version" | { accountVersion: number } | number | null;

/** A match as its id carries it. */
export interface CarriedMatch {
  facts: MatchFacts;
  /** When it was held, by the clock of Redis. */
  heldAtMs: number;
  /** As `reserve` returned it: the match is void if the wallet's has changed since. */
  validFromEpoch: number;
}

export interface CommitRequest {
  advertiserId: string;
  /** The slice of the advertiser's wallet that has the match. Default: 0, the advertiser's own wallet. */
  slice?: number;
  campaignId: string;
  gameId: string;
  creativeId: string;
  /**
   * Names the request: for 24 hours after the charge a request with the same name returns the first record. May be empty where
   * `matchId` names the match and `isKeyed` is false.
   */
  operationId: string;
  /** Whether a retry may arrive after Redis has lost the operation: then the record names it, for billing. Default: false. */
  isKeyed?: boolean;
  /** Null: the oldest unbilled match of the creative in the game whose hold is open or has lapsed only recently. */
  matchId: string | null;
  /** The facts from the match id: charged from if the wallet no longer has the match. */
  carried?: CarriedMatch | null;
  /** By the clock that matches are counted by. Unix milliseconds. */
  nowMs: number;
  /** When the lease expires under which the request was checked, by the clock of Redis. Undefined: without a lease. */
  leaseExpiresMs?: number;
}

/** What the wallet keeps of an earlier charge: everything in its response. */
export type ReplayedRecord = Pick<ImpressionRecord, "impression_id" | "creative_id" | "recorded_at_ms"> & {
  match: Pick<MatchFacts, "match_id" | "campaign_id" | "game_id" | "price_millicents">;
};

export const COMMIT_REFUSALS = ["unknown_wallet", "no_match", "balance", "budget", "daily_cap"] as const;
export type CommitRefusal = (typeof COMMIT_REFUSALS)[number];

/** The campaign has too little money; another campaign of the advertiser may have enough. */
export const LACKS_BUDGET: ReadonlySet<ReserveRefusal> = new Set(["budget", "daily_cap"]);

/** More money could prevent it. */
const LACKS_MONEY: ReadonlySet<ReserveRefusal | CommitRefusal> = new Set([
  ...LACKS_BUDGET,
  "balance",
  "developer_share",
]);

export type CommitResult =
  | { outcome: "charged"; record: ImpressionRecord; replay: false }
  /** It had been charged before. */
  | { outcome: "charged"; record: ReplayedRecord; replay: true }
  /** `lacks`: what a slice lacks money for. */
  | { outcome: "refused"; reason: CommitRefusal; lacks?: NeededMoney };

/** Whether a match was refused for lack of money. */
export function lacksMoney<Result extends ReserveResult | CommitResult>(
  result: Result,
): result is Extract<Result, { outcome: "refused" }> {
  return result.outcome === "refused" && LACKS_MONEY.has(result.reason);
}

/** The price of a match, which is to be held or charged. */
export interface NeededMoney {
  priceMillicents: Millicents;
  /** Its hold is open, so it needs no money beside what open holds need. */
  isHeld: boolean;
}

/** Names a hold and the keys that it touches. */
export interface HoldReference {
  matchId: string;
  walletId: string;
  campaignId: string;
  gameId: string;
  sessionKey: string;
  priceMillicents: Millicents;
  developerAccountId: string;
  /** Names the hour that the match is counted in; null where only a lapsed hold is to be ended. */
  matchedAtMs: number | null;
}

export interface LapsedHold extends HoldReference {
  lapsesAtMs: number;
}

/** `cancelled`: nobody saw the response, so the caps are restored too. `lapsed`: its time is over. */
export type ReleaseReason = "cancelled" | "lapsed";

export const RELEASE_CODES = ["released", "not_open", "not_due", "unknown_wallet"] as const;
export type ReleaseResult = (typeof RELEASE_CODES)[number];

/** The settings of an advertiser that management writes to the wallet. */
export interface AccountState {
  advertiserId: string;
  version: number;
  depositedMillicents: Millicents;
  /** Slices of the wallet. Default: 1. */
  slices?: number;
}

/** `older`: the wallet has a newer version. `unknown_wallet`: it must be restored first. Neither changes anything. */
export const APPLY_CODES = ["applied", "older", "unknown_wallet"] as const;
export type ApplyResult = (typeof APPLY_CODES)[number];

/** `unknown_campaign`: the campaign is new to the wallet and no seed was given. Nothing was changed. */
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
  /** Changes when the wallet is restored; Postgres keeps the totals of that restore under the same number. */
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

/** Open holds of one developer's account on a campaign. */
export interface DeveloperHolds {
  openHolds: number;
  heldMillicents: Millicents;
}

/** Counts in Redis of a campaign by game, in the hour of the query and the 23 whole hours (UTC) before it. */
export interface CampaignGames {
  /** By game id; null: games beyond the first of an hour, about a thousand. */
  matches: Map<string | null, number>;
  /** Committed ones, by the clock of the match tier. */
  impressions: Map<string | null, number>;
  /** At the moment. */
  heldMillicents: Map<string, Millicents>;
  /** How many holds `heldMillicents` adds up. */
  openHolds: number;
}

/** A field of a hash whose content is invalid. */
export interface DamagedEntry {
  /** Its name in the hash. */
  field: string;
  text: string;
}

/** A page of a hash that may change meanwhile: fields that stay are returned at least once before the cursor is null. */
export interface Page<Item> {
  items: Item[];
  /** Entries of the page that are not valid items. */
  damaged: DamagedEntry[];
  cursor: string | null;
}

/** A lapsed match whose session seat `returnSeat` must still return. */
export interface SessionRelease {
  matchId: string;
  gameId: string;
  sessionKey: string;
}

/** The money of wallets: those of advertisers and their slices (`walletIdOf`). Every call that changes something may be repeated after a lost reply. */
export interface MoneyCommands {
  /** Holds the price of one impression and picks the creative, atomically. Idempotent by match id. */
  reserve(request: ReserveRequest): Promise<ReserveResult>;
  /**
   * Charges a match. Idempotent by match id, and by operation id where no match id is given. Rejects with LeaseExpired, having
   * charged nothing.
   */
  commit(request: CommitRequest): Promise<CommitResult>;
  /** Ends a hold without a charge. `not_due` only for the reason `lapsed`. Idempotent by match id. */
  release(hold: HoldReference, reason: ReleaseReason): Promise<ReleaseResult>;
  applyAccount(account: AccountState): Promise<ApplyResult>;
  applyCampaign(campaign: CampaignState): Promise<ApplyCampaignResult>;
  /**
   * First step of lowering a budget: from now on no charge exceeds the ceiling. The next newer `applyCampaign` clears it. A
   * refused ceiling leaves the former one in force. Callers must serialise changes of one campaign.
   */
  setBudgetCeiling(
    advertiserId: string,
    campaignId: string,
    ceilingMillicents: Millicents,
  ): Promise<CeilingResult>;
  /** Checks whether the wallet may serve, and freezes it if its epoch is not that of Postgres. */
  freezeUnlessLive(
    walletId: string,
    epoch: number,
    claim: RestoreClaim,
  ): Promise<FrozenWallet | UnfrozenWallet>;
  /** Lets claims that have not expired last this long from now. */
  extendClaims(walletIds: readonly string[], forMs: number): Promise<void>;
  /** Which of these marks the wallet has, from its restore and from settlements since. */
  findSettledMarks(walletId: string, marks: readonly string[]): Promise<Set<string>>;
  /** Lets a frozen wallet serve again. `changed`: it has changed since the freeze; nothing was changed. */
  restoreWallet(request: RestoreRequest): Promise<"restored" | "changed">;
  /** Lets a frozen slice of a wallet serve again, with the money that is reserved for it. `changed` as for `restoreWallet`. */
  restoreSlice(request: RestoreSliceRequest): Promise<"restored" | "changed">;
  /** Settles a difference between the wallet's totals and Postgres. Idempotent by kind and impression id. */
  settle(settlement: Settlement): Promise<SettleResult>;
  /** Also reads a frozen wallet; its slices are read as one. Null: the wallet does not exist. */
  readAccount(advertiserId: string): Promise<AccountTotals | null>;
  /** Null: the campaign is not in the wallet, whose slices are read as one. */
  readCampaign(advertiserId: string, campaignId: string): Promise<CampaignTotals | null>;
  /** The slice of a wallet that an operation has charged in the last 24 hours; null: none. */
  sliceOfOperation(operation: {
    advertiserId: string;
    slices: number;
    campaignId: string;
    gameId: string;
    operationId: string;
  }): Promise<number | null>;
  /** What one wallet itself has spent on a campaign and holds, without what is in slices. Null: the campaign is not in it. */
  readOwnTotals(walletId: string, campaignId: string): Promise<OwnTotals | null>;
  /** Open holds on a campaign of one developer's account (docs/behaviour.md#open-holds-of-one-developer). */
  readDeveloperHolds(advertiserId: string, campaignId: string, accountId: string): Promise<DeveloperHolds>;
  /** Matches and impressions of a campaign in the last 24 hours, and its open holds, by game. */
  readCampaignGames(advertiserId: string, campaignId: string, nowMs: number): Promise<CampaignGames>;
  /** Committed impressions of each advertiser (at most 1 000), written to Postgres or not. Null: no such wallet. */
  committedCounts(advertiserIds: readonly string[]): Promise<Map<string, number | null>>;
  /** Committed impressions that are not acknowledged; about `limit` (1 to 500) a page. */
  listOutbox(walletId: string, limit: number, cursor?: string): Promise<Page<ImpressionRecord>>;
  /** Whether the outbox has a record under this id. */
  isInOutbox(walletId: string, impressionId: string): Promise<boolean>;
  /** Returns a record that only its job has to the outbox, where billing finds it again. */
  returnToOutbox(record: ImpressionRecord): Promise<void>;
  /** Removes records (at most 500) that Postgres has committed; returns how many existed. */
  ackOutbox(walletId: string, impressionIds: readonly string[]): Promise<number>;
  /**
   * Holds (at most `limit`, 1 to 500) whose time is over, the oldest first, without the first `skip`; and when the next hold
   * after them lapses: null if there is none. `damaged`: members among them that are not valid holds.
   */
  listLapsed(
    walletId: string,
    limit: number,
    skip?: number,
  ): Promise<{ holds: LapsedHold[]; damaged: string[]; nextLapsesAtMs: number | null }>;
  /** Lapsed matches whose session seat is still taken; about `limit` (1 to 500) a page. */
  listSessionReleases(walletId: string, limit: number, cursor?: string): Promise<Page<SessionRelease>>;
  /** Which of these matches (at least one) have lapsed while their session seat is still taken. */
  findSessionReleases(walletId: string, matchIds: readonly string[]): Promise<string[]>;
  /** Removes session releases (at most 500) that are done; returns how many existed. */
  ackSessionReleases(walletId: string, matchIds: readonly string[]): Promise<number>;
}
