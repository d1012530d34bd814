import type { AffinityContribution, MatchFacts } from "@diegetic/contracts";

/** The facts that a match id carries; the others follow from the id and the impression request. */
export type CarriedFacts = Omit<
  MatchFacts,
  "match_id" | "advertiser_id" | "campaign_id" | "game_id" | "developer_account_id"
>;

const MAX_BYTES = 104;
const HASH_CHARACTERS = 22;
const HASHES_BYTES = 33;
const AFFINITY_PREFIX = "aff_";
const ULID_CHARACTERS = 26;
const ULID_BYTES = 16;
const MAX_AFFINITIES = 0x7f;
const HAS_SCORE = 0x80;
const IS_DOUBLE = 1;
const MILLIS = 1_000;
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const ULID = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const HASHES = /^[\w-]{44}$/;
/** By character code: the five bits of a ULID's character. */
const VALUE_OF = new Uint8Array(128);
for (const [value, character] of [...ALPHABET].entries()) VALUE_OF[character.charCodeAt(0)] = value;

/** Null: the facts do not fit. Encodes `matched_at_ms` as milliseconds since `epochMs`. */
export function encodeFacts(facts: CarriedFacts, epochMs: number): Buffer | null {
  const writer = new Writer();
  const { affinities, affinity_score: score, country_code: country } = facts;
  const hashes = facts.user_hash + facts.session_key;
  const isKnownForm =
    facts.user_hash.length === HASH_CHARACTERS &&
    HASHES.test(hashes) &&
    affinities.length <= MAX_AFFINITIES &&
    facts.matched_at_ms >= epochMs &&
    (country === null || /^[A-Z]{2}$/.test(country)) &&
    affinities.every(({ affinity_id: id }) => id.startsWith(AFFINITY_PREFIX) && ULID.test(id.slice(4)));
  if (!isKnownForm) return null;
  writer.bytes(Buffer.from(hashes, "base64url"));
  writer.bytes(Buffer.from(country ?? "\0\0", "latin1"));
  writer.integer(facts.matched_at_ms - epochMs);
  writer.integer(facts.campaign_version);
  writer.integer(facts.price_millicents);
  writer.integer(facts.revenue_share_basis_points);
  const isSum = sumOf(affinities) === score;
  writer.byte(affinities.length | (isSum ? 0 : HAS_SCORE));
  if (!isSum) writer.double(score);
  for (const { affinity_id: id, contribution } of affinities) {
    writer.bytes(ulidBytes(id.slice(AFFINITY_PREFIX.length)));
    writer.contribution(contribution);
  }
  if (facts.wallet_slice) writer.byte(facts.wallet_slice);
  return writer.result();
}

/** Throws RangeError when the bytes are truncated. */
export function decodeFacts(bytes: Buffer, epochMs: number): CarriedFacts {
  const reader = new Reader(bytes);
  const hashes = reader.bytes(HASHES_BYTES).toString("base64url");
  const country = reader.bytes(2).toString("latin1");
  const matchedAtMs = epochMs + reader.integer();
  const campaignVersion = reader.integer();
  const price = reader.integer();
  const share = reader.integer();
  const head = reader.byte();
  const score = head & HAS_SCORE ? reader.double() : null;
  const affinities = Array.from({ length: head & MAX_AFFINITIES }, () => ({
    affinity_id: AFFINITY_PREFIX + ulidText(reader.bytes(ULID_BYTES)),
    contribution: reader.contribution(),
  }));
  const slice = reader.isAtEnd ? 0 : reader.byte();
  return {
    ...(slice > 0 && { wallet_slice: slice }),
    campaign_version: campaignVersion,
    user_hash: hashes.slice(0, HASH_CHARACTERS),
    session_key: hashes.slice(HASH_CHARACTERS),
    country_code: country === "\0\0" ? null : country,
    affinity_score: score ?? sumOf(affinities),
    affinities,
    price_millicents: price,
    revenue_share_basis_points: share,
    matched_at_ms: matchedAtMs,
  };
}

function sumOf(affinities: readonly AffinityContribution[]): number {
  return affinities.reduce((sum, { contribution }) => sum + contribution, 0);
}

/** The 16 bytes of a lower-case ULID. */
export function ulidBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafe(ULID_BYTES);
  // 26 characters are 130 bits; the first two are always 0.
  let bits = -2;
  let value = 0;
  let at = 0;
  for (let index = 0; index < text.length; index += 1) {
    value = (value << 5) | (VALUE_OF[text.charCodeAt(index)] ?? 0);
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[at++] = (value >> bits) & 0xff;
      value &= (1 << bits) - 1;
    }
  }
  return bytes;
}

function ulidText(bytes: Buffer): string {
  let text = "";
  let bits = 2;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(value >> bits) & 31];
      value &= (1 << bits) - 1;
    }
  }
  return text.padStart(ULID_CHARACTERS, "0");
}

/** Writes at most `MAX_BYTES`. */
class Writer {
  readonly #buffer = Buffer.allocUnsafe(MAX_BYTES);
  #end = 0;
  #isFull = false;

  byte(value: number): void {
    if (this.#end >= MAX_BYTES) this.#isFull = true;
    else this.#buffer[this.#end++] = value;
  }

  bytes(values: Uint8Array): void {
    const end = this.#end + values.length;
    if (end > MAX_BYTES) this.#isFull = true;
    else {
      this.#buffer.set(values, this.#end);
      this.#end = end;
    }
  }

  /** An unsigned varint: seven bits per byte, least significant first. */
  integer(value: number): void {
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) this.byte((rest % 0x80) | 0x80);
    this.byte(rest);
  }

  double(value: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleBE(value);
    this.bytes(bytes);
  }

  /** Twice the thousandths; for any other number 1, then the number as a double. */
  contribution(value: number): void {
    const millis = Math.round(value * MILLIS);
    if (millis >= 0 && 2 * millis <= Number.MAX_SAFE_INTEGER && millis / MILLIS === value) {
      this.integer(2 * millis);
      return;
    }
    this.integer(IS_DOUBLE);
    this.double(value);
  }

  result(): Buffer | null {
    return this.#isFull ? null : this.#buffer.subarray(0, this.#end);
  }
}

class Reader {
  readonly #buffer: Buffer;
  #at = 0;

  constructor(buffer: Buffer) {
    this.#buffer = buffer;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#buffer.length;
  }

  byte(): number {
    return this.#buffer.readUInt8(this.#at++);
  }

  bytes(count: number): Buffer {
    const end = this.#at + count;
    if (end > this.#buffer.length) throw new RangeError("the facts of a match are cut short");
    const bytes = this.#buffer.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }

  integer(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  double(): number {
    return this.bytes(8).readDoubleBE();
  }

  contribution(): number {
    const head = this.integer();
    return head === IS_DOUBLE ? this.double() : head / 2 / MILLIS;
  }
}
