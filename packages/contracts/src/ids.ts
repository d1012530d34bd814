import { monotonicFactory } from "ulid";

/** What an identifier names: advertiser, campaign, creative, geo target, blocklist rule, affinity, impression, match, account, key row, deposit. */
export type IdPrefix =
  | "adv"
  | "camp"
  | "crt"
  | "geo"
  | "blk"
  | "aff"
  | "imp"
  | "mat"
  | "acct"
  | "key"
  | "dep";

const nextUlid = monotonicFactory();

/**
 * A new identifier: the prefix and a lower-case ULID, such as `camp_01jd…`. Identifiers of one process sort in the
 * order of their creation, also within a millisecond.
 */
export function newId(prefix: IdPrefix, nowMs?: number): string {
  return `${prefix}_${nextUlid(nowMs).toLowerCase()}`;
}
