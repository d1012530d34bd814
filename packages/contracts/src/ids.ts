import { createHash, randomFillSync } from "node:crypto";
import { monotonicFactory } from "ulid";

/**
 * Prefix of an identifier: advertiser, campaign, creative, geo target, blocklist rule, affinity, impression, match,
 * account, key row, deposit, operation, user, session, credential, verification, invitation,
 * webhook, event of a webhook, delivery of an event.
 */
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
  | "dep"
  | "op"
  | "usr"
  | "ses"
  | "crd"
  | "ver"
  | "inv"
  | "whk"
  | "evt"
  | "whd";

/** Random bytes are drawn a few thousand at a time: one at a time they would dominate the cost of an identifier. */
const entropy = new Uint8Array(4_096);
let unusedFrom = entropy.length;

/** From 0 to below 1, in steps of 1/256. A ULID character is one of 32, so all are equally likely. */
function randomByteShare(): number {
  if (unusedFrom === entropy.length) {
    randomFillSync(entropy);
    unusedFrom = 0;
  }
  const byte = entropy[unusedFrom] ?? 0;
  unusedFrom += 1;
  return byte / 256;
}

/** A clock that goes back further was wrong before: identifiers follow it instead of keeping the later time. */
const MAX_SET_BACK_MS = 1_000;

/** ULIDs that ascend, unless time goes back by more than a second. */
function ascendingUlids(): (nowMs: number) => string {
  let next = monotonicFactory(randomByteShare);
  let latestMs = 0;
  return (nowMs) => {
    if (nowMs < latestMs - MAX_SET_BACK_MS) {
      next = monotonicFactory(randomByteShare);
      latestMs = nowMs;
    }
    latestMs = Math.max(latestMs, nowMs);
    return next(nowMs);
  };
}

const ulidOfNow = ascendingUlids();
/** Of given times, by prefix: identifiers of one kind are given times by one clock. */
const ulidsOf = new Map<IdPrefix, (nowMs: number) => string>();

function ulidOf(prefix: IdPrefix, nowMs: number): string {
  const ulids = ulidsOf.get(prefix) ?? ascendingUlids();
  ulidsOf.set(prefix, ulids);
  return ulids(nowMs);
}

/**
 * A new identifier: the prefix and a lower-case ULID, such as `camp_01jd…`. Identifiers of one process sort by
 * creation, also within a millisecond: those of the present, and for each prefix those of a given time. Only where the
 * clock was set back by more than a second, later ones sort first.
 */
export function newId(prefix: IdPrefix, nowMs?: number): string {
  const ulid = nowMs === undefined ? ulidOfNow(Date.now()) : ulidOf(prefix, nowMs);
  return `${prefix}_${ulid.toLowerCase()}`;
}

/** An identifier derived from a text: deterministic and unique per text. */
export function derivedId(prefix: IdPrefix, text: string): string {
  return `${prefix}_${createHash("sha256").update(text).digest("base64url")}`;
}
