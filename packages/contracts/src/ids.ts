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

/** A clock that goes back further was wrong before: identifiers of the present follow it instead of keeping the later time. */
const MAX_SET_BACK_MS = 1_000;

let nextOfPresent = monotonicFactory(randomByteShare);
let latestMs = 0;

/** A ULID of the present time: they ascend, unless the clock goes back by more than a second. */
function ulidOfPresent(): string {
  const nowMs = Date.now();
  if (nowMs < latestMs - MAX_SET_BACK_MS) {
    nextOfPresent = monotonicFactory(randomByteShare);
    latestMs = nowMs;
  }
  latestMs = Math.max(latestMs, nowMs);
  return nextOfPresent(nowMs);
}

/** A ULID of a given time, or of the latest that was given before: they ascend always. */
const ulidOf = monotonicFactory(randomByteShare);

/**
 * A new identifier: the prefix and a lower-case ULID, such as `camp_01jd…`. Identifiers of one process sort by
 * creation, also within a millisecond: those of a given time, and those of the present, which no given time moves ahead.
 * Only where the clock was set back by more than a second, later ones of the present sort first.
 */
export function newId(prefix: IdPrefix, nowMs?: number): string {
  const ulid = nowMs === undefined ? ulidOfPresent() : ulidOf(nowMs);
  return `${prefix}_${ulid.toLowerCase()}`;
}

/** An identifier derived from a text: deterministic and unique per text. */
export function derivedId(prefix: IdPrefix, text: string): string {
  return `${prefix}_${createHash("sha256").update(text).digest("base64url")}`;
}
