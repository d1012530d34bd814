import type { CampaignStatus, ImpressionRecord } from "@diegetic/contracts";
import type { Millicents } from "@diegetic/money";
import type { CampaignGames, DeveloperHolds } from "./campaign-games.ts";
import type { CampaignState } from "./campaign-state.ts";
import type { ChargeOperation, CommitRequest, CommitResult } from "./commit.ts";
import type { HoldReference, LapsedHold, ReleaseReason, ReleaseResult } from "./holds.ts";
import type {
  FrozenWallet,
  RestoreClaim,
  RestoreRequest,
  RestoreSliceRequest,
  Settlement,
  SettleResult,
  UnfrozenWallet,
} from "./recovery-types.ts";
import type { ReserveRequest, ReserveResult } from "./reserve.ts";
import type { OwnTotals } from "./sliced-totals.ts";

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
  sliceOfOperation(operation: ChargeOperation): Promise<number | null>;
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
