import { createHmac } from "node:crypto";

/** 22 characters of base64url: 132 bits, far more than the number of players needs. */
const HASH_CHARACTERS = 22;

/** A session with a session_id is forgotten after so long without a match request (semantics: Matching). */
export const NAMED_SESSION_IDLE_MS = 24 * 60 * 60 * 1_000;

export interface PlayerIdentity {
  /** Stands for the player wherever something is stored; his id never is (semantics: Privacy). */
  userHash: string;
  /** Stands for the player and his session: the name of the session in Redis keys. */
  sessionKey: string;
}

/** Keyed hashes of a player and his session: without the key nobody can find out whose they are. */
export function identifyPlayer(
  playerHashKey: string,
  userId: string,
  sessionId: string | undefined,
): PlayerIdentity {
  return {
    userHash: keyedHash(playerHashKey, userId),
    // Neither text can hold a NUL, so that no two pairs give the same text.
    sessionKey: keyedHash(playerHashKey, `${userId}\0${sessionId ?? ""}`),
  };
}

function keyedHash(key: string, text: string): string {
  return createHmac("sha256", key).update(text).digest("base64url").slice(0, HASH_CHARACTERS);
}
