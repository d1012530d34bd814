import type { Millicents } from "@diegetic/money";
import type { ReplyReader } from "../reply.ts";

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

/** Whether a match was refused for lack of money. */
export function lacksMoney<Result extends { outcome: string; reason?: ReserveRefusal | CommitRefusal }>(
  result: Result,
): result is Extract<Result, { outcome: "refused" }> {
  return result.reason !== undefined && LACKS_MONEY.has(result.reason);
}

/** The price of a match, which is to be held or charged. */
export interface NeededMoney {
  priceMillicents: Millicents;
  /** Its hold is open, so it needs no money beside what open holds need. */
  isHeld: boolean;
}

/**
 * What can end a lack of money. Null: the end of a hold. `version`: only a newer version of the campaign. `accountVersion`:
 * only a version of the account newer than this one. A number: a newer version of the campaign, or the end of the UTC day
 * after this many milliseconds.
 */
export type RefusalLasts = "version" | { accountVersion: number } | number | null;

/** A field of a refusal: '', milliseconds, 'version', or 'version' and the account's version. */
export function readLasts(reply: ReplyReader, index: number): RefusalLasts {
  const version = /^version(?: (\d+))?$/.exec(reply.text(index));
  if (version === null) return reply.optionalInteger(index);
  return version[1] === undefined ? "version" : { accountVersion: Number(version[1]) };
}
