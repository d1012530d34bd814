import { hash } from "node:crypto";

/** 22 characters of base64url: 132 bits, far more than the number of players needs. */
const HASH_CHARACTERS = 22;

/** How long sessions live without a match request (docs/behaviour.md#player-sessions). */
export interface SessionIdleTimes {
  sessionIdleSeconds: number;
  /** Of sessions with a session_id. */
  namedSessionIdleSeconds: number;
}

/** The session ends after this long without a match request. Match and explain must agree on it. */
export function sessionIdleMs(times: SessionIdleTimes, sessionId: string | undefined): number {
  return (sessionId === undefined ? times.sessionIdleSeconds : times.namedSessionIdleSeconds) * 1_000;
}

export interface PlayerIdentity {
  /** Identifies the player in stored data; the player's id is never stored (docs/behaviour.md#privacy). */
  userHash: string;
  /** Identifies the player's session in Redis keys. */
  sessionKey: string;
}

/**
 * Keyed hashes of a player of a developer's account and of the player's session. Without the key nobody can find out whose
 * they are or follow a player from one account to another.
 */
export function identifyPlayer(
  playerHashKey: string,
  accountId: string,
  userId: string,
  sessionId: string | undefined,
): PlayerIdentity {
  // None of the texts can contain a NUL, so different players or sessions give different texts.
  const player = `${accountId}\0${userId}`;
  return {
    userHash: keyedHash(playerHashKey, player),
    sessionKey: keyedHash(playerHashKey, `${player}\0${sessionId ?? ""}`),
  };
}

/**
 * Shows whether two processes have the same key, and nothing else of it. No account has this id, so it is nobody's hash.
 */
export function playerHashKeyCheck(playerHashKey: string): string {
  return keyedHash(playerHashKey, "check value of PLAYER_HASH_KEY");
}

/** Of SHA-256. */
const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;
/** Fits an account, a user and a session of maximum length, in characters of three bytes. */
const ROOM_BYTES = 2_048;
const MAX_BYTES_PER_UNIT = 3;
const MAX_KEYS = 16;

/**
 * HMAC-SHA-256 (RFC 2104) of short texts under one key, whose two padded blocks are prepared once. Node's own HMAC creates an
 * object for each text and takes four times as long, and hashing is among the largest costs of a match.
 */
class KeyedHash {
  readonly #inner: Buffer;
  readonly #outer: Buffer;

  constructor(key: string) {
    const bytes = Buffer.from(key);
    const shortened = bytes.length > BLOCK_BYTES ? hash("sha256", bytes, "buffer") : bytes;
    this.#inner = paddedKey(shortened, INNER_PAD, ROOM_BYTES);
    this.#outer = paddedKey(shortened, OUTER_PAD, DIGEST_BYTES);
  }

  /** In base64url. */
  of(text: string): string {
    const isShort = text.length * MAX_BYTES_PER_UNIT <= ROOM_BYTES;
    const end = isShort ? BLOCK_BYTES + this.#inner.write(text, BLOCK_BYTES) : 0;
    const message = isShort
      ? this.#inner.subarray(0, end)
      : Buffer.concat([this.#inner.subarray(0, BLOCK_BYTES), Buffer.from(text)]);
    this.#outer.write(hash("sha256", message, "binary"), BLOCK_BYTES, "binary");
    return hash("sha256", this.#outer, "base64url");
  }
}

function paddedKey(key: Buffer, pad: number, roomBytes: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES + roomBytes);
  for (let at = 0; at < BLOCK_BYTES; at += 1) block[at] = (key[at] ?? 0) ^ pad;
  return block;
}

/** A process has one key; tests have a few. */
const knownKeys = new Map<string, KeyedHash>();

function keyedHash(key: string, text: string): string {
  let known = knownKeys.get(key);
  if (known === undefined) {
    if (knownKeys.size >= MAX_KEYS) knownKeys.clear();
    known = new KeyedHash(key);
    knownKeys.set(key, known);
  }
  return known.of(text).slice(0, HASH_CHARACTERS);
}
