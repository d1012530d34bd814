import { randomBytes } from "node:crypto";
import { chunks } from "@diegetic/collections";
import type { RedisConnection } from "../connection.ts";
import { encodeName, keyPatterns, walletKeys } from "../keys.ts";
import { scanKeys } from "../scan-keys.ts";
import { defineScript, type ScriptCall } from "../script.ts";

/** A player of a developer's account, and where the player may have left traces. */
export interface ErasablePlayer {
  userHash: string;
  /** Session keys that are known already. */
  sessionKeys: ReadonlySet<string>;
  gameIds: ReadonlySet<string>;
}

/** Number of traces in Redis. */
export interface ErasedFromRedis {
  /** Unbilled matches that no longer name the player. */
  matches: number;
  /** Deleted player sessions, and caps of advertisers in them. */
  sessions: number;
  caps: number;
  /** Committed impressions that billing still has to write: they still name the player. */
  waiting: number;
}

/** Replaces an erased session key; no player has it. */
export const ERASED_SESSION = "erased";

const HASH_BYTES = 16;
const FIELDS_PER_STEP = 500;

/** Stands for a player whose id is forgotten: nobody can compute it. */
export function anonymousHash(): string {
  return randomBytes(HASH_BYTES).toString("base64url");
}

interface UnbilledMatch {
  key: string;
  matchId: string;
  walletId: string;
  scope: string;
}

export class PlayerEraser {
  readonly #redis: RedisConnection;
  readonly #eraseScript: ScriptCall;

  constructor(redis: RedisConnection) {
    this.#redis = redis;
    this.#eraseScript = defineScript(redis, "erase_player_match", 2);
  }

  /**
   * Reads all key names, and all unbilled matches of the games. Repeatable, also after an interruption: matches are erased
   * last, because they alone may name a session.
   */
  async erase({ userHash, sessionKeys, gameIds }: ErasablePlayer): Promise<ErasedFromRedis> {
    const games = new Set([...gameIds].map(encodeName));
    const sessions = new Set(sessionKeys);
    const matches: UnbilledMatch[] = [];
    for await (const match of this.#findMatches(userHash, games)) {
      const session = await this.#eraseMatch(match, userHash, "", "");
      if (session === "") continue;
      sessions.add(session);
      matches.push(match);
    }
    const erased = { matches: 0, sessions: 0, caps: 0, waiting: 0 };
    for await (const key of this.#keys()) {
      if (keyPatterns.sessionRelease.test(key)) await this.#eraseReleases(key, sessions);
      const isSession = keyPatterns.session.test(key);
      const [game, sessionKey] =
        (isSession ? keyPatterns.session : keyPatterns.cap).exec(key)?.slice(-2) ?? [];
      if (game === undefined || sessionKey === undefined) continue;
      if (!games.has(game) || !sessions.has(sessionKey)) continue;
      const count = await this.#redis.del(key);
      erased[isSession ? "sessions" : "caps"] += count;
    }
    for (const match of matches) {
      const session = await this.#eraseMatch(match, userHash, anonymousHash(), ERASED_SESSION);
      if (session !== "") erased.matches += 1;
    }
    erased.waiting = await this.waiting(userHash);
    return erased;
  }

  /** Number of committed impressions of the player that billing still has to write. */
  async waiting(userHash: string): Promise<number> {
    let count = 0;
    for await (const key of this.#keys()) {
      if (!keyPatterns.outbox.test(key)) continue;
      for await (const [, record] of this.#fields(key)) if (record.includes(userHash)) count += 1;
    }
    return count;
  }

  /** Returns the session key that the match had; '': it is gone, or is another player's. Empty replacements change nothing. */
  async #eraseMatch(
    { key, matchId, walletId, scope }: UnbilledMatch,
    userHash: string,
    newHash: string,
    newSession: string,
  ): Promise<string> {
    const holds = walletKeys.holds(walletId);
    const reply = await this.#eraseScript(holds, key, matchId, scope, userHash, newHash, newSession);
    return reply.text(0);
  }

  async *#findMatches(userHash: string, games: ReadonlySet<string>): AsyncGenerator<UnbilledMatch> {
    for await (const key of this.#keys()) {
      const [, walletId, campaignId, game] = keyPatterns.matches.exec(key) ?? [];
      if (walletId === undefined || campaignId === undefined || game === undefined || !games.has(game))
        continue;
      for await (const [matchId, entry] of this.#fields(key)) {
        if (entry.includes(userHash)) yield { key, matchId, walletId, scope: `${campaignId}|${game}` };
      }
    }
  }

  /** The seats that they name are deleted with their sessions. */
  async #eraseReleases(key: string, sessions: ReadonlySet<string>): Promise<void> {
    for await (const [matchId, release] of this.#fields(key)) {
      const sessionKey = release.split("|")[1];
      if (sessionKey !== undefined && sessions.has(sessionKey)) await this.#redis.hdel(key, matchId);
    }
  }

  async *#keys(): AsyncGenerator<string> {
    for await (const keys of scanKeys(this.#redis)) yield* keys;
  }

  async *#fields(key: string): AsyncGenerator<[field: string, value: string]> {
    let cursor = "0";
    do {
      const [next, flat] = await this.#redis.hscan(key, cursor, "COUNT", FIELDS_PER_STEP);
      cursor = next;
      for (const [field = "", value = ""] of chunks(flat, 2)) yield [field, value];
    } while (cursor !== "0");
  }
}
