import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
} from "node:crypto";
import type { MatchFacts } from "@diegetic/contracts";
import type { CarriedMatch } from "@diegetic/hot-state";
import { decodeFacts, encodeFacts, ulidBytes } from "./match-facts-codec.ts";

/** `mat_` and a ULID: the part that identifies the match in Redis and Postgres. */
const NAME_CHARACTERS = 30;
const NAME = /^mat_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 12;
/** Milliseconds and the valid-from epoch. */
const HEAD_BYTES = 10;

/** What a match and its impression have in common; an id verifies only within it. */
export interface MatchScope {
  developerAccountId: string;
  gameId: string;
  campaignId: string;
  creativeId: string;
}

export interface OpenedMatchId {
  /** The id of the match in Redis and Postgres. */
  matchId: string;
  /** Null: the id carries no facts. */
  carried: CarriedMatch | null;
}

interface Key {
  id: number;
  /** Node 24 takes three times as long to create a cipher from the key's bytes. */
  secret: KeyObject;
}

/**
 * Match ids that carry the encrypted facts for their impression, so that an unseen match leaves nothing in Redis
 * (docs/adr/0001-matches-live-in-one-hash-per-campaign-and-game.md).
 */
export class MatchIds {
  readonly #keys: readonly [Key, ...Key[]];

  /** @param secrets the first encrypts, all of them decrypt */
  constructor([first, ...others]: readonly [string, ...string[]]) {
    this.#keys = [keyOf(first), ...others.map(keyOf)];
  }

  /** Encodes the facts for `seal`; null: they do not fit. */
  pack(facts: MatchFacts): Buffer | null {
    if (!NAME.test(facts.match_id)) return null;
    return encodeFacts(facts, timeOf(facts.match_id));
  }

  /** Creates the id for the game. Seal each match only once: the nonce derives from its id. */
  seal(
    matchId: string,
    packed: Buffer,
    { heldAtMs, validFromEpoch }: { heldAtMs: number; validFromEpoch: number },
    scope: MatchScope,
  ): string {
    const [key] = this.#keys;
    const plain = Buffer.allocUnsafe(HEAD_BYTES + packed.length);
    plain.writeUIntBE(heldAtMs, 0, 6);
    plain.writeUInt32BE(validFromEpoch, 6);
    packed.copy(plain, HEAD_BYTES);
    const cipher = createCipheriv(CIPHER, key.secret, nonceOf(matchId), { authTagLength: TAG_BYTES });
    cipher.setAAD(boundTo(matchId, scope));
    const sealed = [Buffer.of(key.id), cipher.update(plain), cipher.final()];
    return matchId + Buffer.concat([...sealed, cipher.getAuthTag()]).toString("base64url");
  }

  /** Null: the id was not made for this scope. */
  open(text: string, scope: MatchScope, advertiserId: string): OpenedMatchId | null {
    if (text.length <= NAME_CHARACTERS) return { matchId: text, carried: null };
    const matchId = text.slice(0, NAME_CHARACTERS);
    const bytes = Buffer.from(text.slice(NAME_CHARACTERS), "base64url");
    const isSound =
      NAME.test(matchId) &&
      bytes.length > HEAD_BYTES + TAG_BYTES &&
      bytes.toString("base64url") === text.slice(NAME_CHARACTERS);
    if (!isSound) return null;
    for (const key of this.#keys) {
      const plain = key.id === bytes[0] ? decrypt(key, matchId, bytes.subarray(1), scope) : null;
      if (plain === null) continue;
      const facts = {
        match_id: matchId,
        advertiser_id: advertiserId,
        campaign_id: scope.campaignId,
        game_id: scope.gameId,
        developer_account_id: scope.developerAccountId,
        ...decodeFacts(plain.subarray(HEAD_BYTES), timeOf(matchId)),
      };
      const heldAtMs = plain.readUIntBE(0, 6);
      return { matchId, carried: { facts, heldAtMs, validFromEpoch: plain.readUInt32BE(6) } };
    }
    return null;
  }
}

function keyOf(secret: string): Key {
  const bytes = Buffer.from(hkdfSync("sha256", secret, "", "diegetic match ids", KEY_BYTES));
  return { id: hash("sha256", bytes, "buffer").readUInt8(0), secret: createSecretKey(bytes) };
}

/** ULIDs are unique: 80 random bits, and two bytes of their time. */
function nonceOf(matchId: string): Buffer {
  return ulidBytes(matchId.slice(4)).subarray(-NONCE_BYTES);
}

function timeOf(matchId: string): number {
  return ulidBytes(matchId.slice(4)).readUIntBE(0, 6);
}

function boundTo(matchId: string, scope: MatchScope): Buffer {
  const { developerAccountId, gameId, campaignId, creativeId } = scope;
  return Buffer.from([matchId, developerAccountId, campaignId, creativeId, gameId].join("\n"));
}

function decrypt(key: Key, matchId: string, sealed: Buffer, scope: MatchScope): Buffer | null {
  const decipher = createDecipheriv(CIPHER, key.secret, nonceOf(matchId), { authTagLength: TAG_BYTES });
  decipher.setAAD(boundTo(matchId, scope));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch {
    return null;
  }
}
