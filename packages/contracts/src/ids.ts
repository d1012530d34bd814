import { createHash, randomFillSync } from "node:crypto";
import { encodeTime, monotonicFactory } from "ulid";

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

/** Random bytes are drawn a few thousand at a time: one at a time they cost more than all the rest of an identifier. */
const entropy = new Uint8Array(4_096);
let unusedFrom = entropy.length;

/** At least 0 and below 1, in steps of 1/256; a character of a ULID is one of 32, so that all are equally likely. */
function randomByteShare(): number {
  if (unusedFrom === entropy.length) {
    randomFillSync(entropy);
    unusedFrom = 0;
  }
  const byte = entropy[unusedFrom] ?? 0;
  unusedFrom += 1;
  return byte / 256;
}

const nextUlid = monotonicFactory(randomByteShare);

/**
 * A new identifier: the prefix and a lower-case ULID, such as `camp_01jd…`. Identifiers of one process sort in the
 * order of their creation, also within a millisecond.
 */
export function newId(prefix: IdPrefix, nowMs?: number): string {
  return `${prefix}_${nextUlid(nowMs).toLowerCase()}`;
}

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_LENGTH = 10;
const RANDOM_LENGTH = 16;

/**
 * The identifier that follows from a text: the same for the same text and time (Unix ms), and another one for any other.
 * Looks like those of `newId`, and sorts by its time.
 */
export function derivedId(prefix: IdPrefix, text: string, timeMs: number): string {
  const digest = createHash("sha256").update(text).digest();
  let rest = "";
  for (const byte of digest.subarray(0, RANDOM_LENGTH)) rest += ALPHABET[byte % ALPHABET.length];
  return `${prefix}_${encodeTime(timeMs, TIME_LENGTH).toLowerCase()}${rest}`;
}
