import type { CampaignStatus } from "@diegetic/contracts";
import type { Millicents } from "@diegetic/money";

/** A wallet that may not serve, as it was found: `restoreWallet` takes it only while it is still like that. */
export interface FrozenWallet {
  state: "frozen";
  /** Names the history of writes of the server that the wallet was found on. */
  replicationId: string;
  /** As texts, "" for a wallet that is not there. */
  epoch: string;
  seq: string;
  spentMillicents: Millicents;
  heldMillicents: Millicents;
  impressions: number;
  /** The UTC day (YYYY-MM-DD) by the clock of Redis, which decides what daily caps count. */
  day: string;
  /** What its open holds add up to: another sum than `heldMillicents` says that some of its keys are lost. */
  holdsMillicents: Millicents;
}

/** `busy`: somebody else restores it. `ahead`: of a later epoch than Postgres was said to know: ask Postgres again. */
export interface UnfrozenWallet {
  state: "live" | "busy" | "ahead";
}

/** Keeps others from restoring a wallet at the same time: that is safe, but then none of them may ever be done. */
export interface RestoreClaim {
  /** Whose call it is. */
  by: string;
  forMs: number;
  /** Postgres has been asked again: a wallet that is `ahead` is frozen. */
  isSure: boolean;
}

export interface RestoredCampaign {
  campaignId: string;
  version: number;
  status: CampaignStatus;
  budgetMillicents: Millicents;
  dailyCapMillicents: Millicents | null;
  spentMillicents: Millicents;
  impressions: number;
  /** The UTC day (YYYY-MM-DD) that is being spent on: today by the clock of Redis, or tomorrow when it was that before. */
  day: string;
  daySpentMillicents: Millicents;
}

export interface RestoreRequest {
  advertiserId: string;
  found: FrozenWallet;
  /** Newer than every epoch of the wallet before. */
  epoch: number;
  /** Void every hold and match: the wallet may have forgotten what became of them. */
  forgetMatches: boolean;
  version: number;
  depositedMillicents: Millicents;
  spentMillicents: Millicents;
  impressions: number;
  /**
   * Ids of impressions that the totals contain and that may still be settled, and those that they no longer contain, after
   * a `-`. At most 40 000.
   */
  settledMarks: readonly string[];
  /** Every campaign of the advertiser. At most 10 000. */
  campaigns: readonly RestoredCampaign[];
}

/** Something that Postgres knows and a restored wallet does not. */
export interface Settlement {
  /** The wallet's recovery epoch as Postgres knows it. */
  epoch: number;
  /** `late`: written to Postgres after the wallet was restored. `reversed`: Postgres could not take the charge. */
  kind: "late" | "reversed";
  impressionId: string;
  matchId: string;
  advertiserId: string;
  campaignId: string;
  gameId: string;
  priceMillicents: Millicents;
  /** UTC day of the charge, YYYY-MM-DD. */
  day: string;
  /** The wallet's recovery epoch when it was committed. */
  committedInEpoch: number;
}

export const SETTLE_CODES = ["settled", "known", "stale", "unknown_wallet"] as const;
/** `settled`: by this call, or by one like it before. `known`: the wallet had it without that. `stale`: it is of another epoch, `unknown_wallet`: frozen; both: try again later. */
export type SettleResult = (typeof SETTLE_CODES)[number];
