import type { Millicents } from "@diegetic/money";
import type { CampaignSettings, CampaignSpending } from "./campaign-state.ts";

/** A wallet that may not serve, as read when it was frozen: `restoreWallet` accepts it only while it is unchanged. */
export interface FrozenWallet {
  state: "frozen";
  /** Of the server that has the wallet. */
  replicationId: string;
  /** As strings, "" for a wallet that does not exist. */
  epoch: string;
  seq: string;
  /** These three without what is in other slices. */
  spentMillicents: Millicents;
  heldMillicents: Millicents;
  impressions: number;
  /** The UTC day (YYYY-MM-DD) by the clock of Redis, which decides what daily caps count. */
  day: string;
  /** Sum of its open holds: if it differs from `heldMillicents`, some of the wallet's keys are lost. */
  holdsMillicents: Millicents;
  /** It served on this server until it was frozen, because of another slice: so it has lost nothing. */
  servedUntilFrozen: boolean;
}

/** `busy`: another caller is restoring it. `ahead`: its epoch is later than the given one: read Postgres again. */
export interface UnfrozenWallet {
  state: "live" | "busy" | "ahead";
}

/** Prevents concurrent restores of a wallet: they are safe, but might invalidate each other without end. */
export interface RestoreClaim {
  /** Name of the caller. */
  by: string;
  forMs: number;
  /** `sure`: also a wallet that is `ahead`, because Postgres was read again. `always`: also a live one. Default: neither. */
  freezes?: "sure" | "always" | undefined;
}

/** Its `day` is that of the clock of Redis, or the day after if it already was. */
export interface RestoredCampaign extends CampaignSettings, CampaignSpending {
  /** By slice (1 to 63): what was reserved for its kept holds, and stays so. Default: nothing. */
  reservedInSlices?: ReadonlyMap<number, { reservedMillicents: Millicents; heldMillicents: Millicents }>;
}

export interface RestoreRequest {
  walletId: string;
  found: FrozenWallet;
  /** Greater than every earlier epoch of the wallet. */
  epoch: number;
  /** Void every hold and match: the wallet may have lost their outcome. */
  forgetMatches: boolean;
  version: number;
  depositedMillicents: Millicents;
  spentMillicents: Millicents;
  impressions: number;
  /** Slices of the wallet, all of which are frozen; their grants end. Null: this wallet is such a slice. Default: 1. */
  slices?: number | null;
  /**
   * Ids of impressions that the totals contain and that may still be settled, with a leading `-` if the totals no longer
   * contain them. At most 40 000.
   */
  settledMarks: readonly string[];
  /** Every campaign of the advertiser. At most 10 000. */
  campaigns: readonly RestoredCampaign[];
}

/** What restores a slice of a wallet, after the advertiser's own wallet. */
export interface RestoreSliceRequest
  extends Pick<RestoreRequest, "found" | "epoch" | "forgetMatches" | "version" | "settledMarks"> {
  advertiserId: string;
  slice: number;
  /** Every campaign of the advertiser. At most 10 000. */
  campaigns: readonly (Pick<RestoredCampaign, "campaignId" | "version" | "status" | "day"> & {
    /** What the slice is granted: as in `reservedInSlices` of the advertiser's own wallet. */
    reservedMillicents: Millicents;
  })[];
}

/** A difference between Postgres and a restored wallet. */
export interface Settlement {
  /** The wallet's recovery epoch in Postgres. */
  epoch: number;
  /** `late`: written to Postgres after the wallet was restored. `reversed`: the charge was quarantined. */
  kind: "late" | "reversed";
  impressionId: string;
  matchId: string;
  /** The wallet that was charged. */
  walletId: string;
  campaignId: string;
  gameId: string;
  priceMillicents: Millicents;
  /** UTC day of the charge, YYYY-MM-DD. */
  day: string;
  /** The wallet's recovery epoch when it was committed. */
  committedInEpoch: number;
  /** When it was charged, by Postgres: a retry gets the same answer. Default: unknown. */
  recordedAtMs?: number | null;
}

export const SETTLE_CODES = ["settled", "known", "stale", "unknown_wallet"] as const;
/**
 * `settled`: this call, or an equal one before it, changed the wallet. `known`: the wallet already agreed. `stale` (the
 * wallet has another epoch) and `unknown_wallet` (it is frozen): to be tried again later.
 */
export type SettleResult = (typeof SETTLE_CODES)[number];
