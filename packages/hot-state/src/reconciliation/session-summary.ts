import type { RedisConnection } from "../connection.ts";
import { advertiserOf, decodeName, keyPatterns } from "../keys.ts";
import { KEYS_PER_STEP, scanKeys } from "../scan-keys.ts";

/** Ads that a player session in a game got: of all advertisers, or of one advertiser's creatives. */
export type SessionSummary = {
  gameId: string;
  /** A keyed hash; see player-identity.ts. */
  sessionKey: string;
  /** Start of the count, Unix milliseconds. */
  sinceMs: number;
} & ({ kind: "seats"; ads: number } | { kind: "creatives"; appearances: Map<string, number> });

export interface NamesPage {
  /** Key names of sessions. */
  sessions: string[];
  /** Advertisers with a wallet. */
  advertiserIds: string[];
}

/** Reads player sessions for comparison with the limits; changes nothing. */
export interface SessionSummaryReader {
  /** Key names, page by page, until this many keys have been scanned. A name may occur twice. */
  names(maxKeys: number): AsyncIterable<NamesPage>;
  /** Reads the sessions; omits expired ones. */
  read(names: readonly string[]): Promise<SessionSummary[]>;
}

export function createSessionSummaryReader(redis: RedisConnection): SessionSummaryReader {
  return {
    names: (maxKeys) => sessionNames(redis, maxKeys),
    read: async (names) => {
      const found = await Promise.all(names.map((name) => readSession(redis, name)));
      return found.filter((session) => session !== null);
    },
  };
}

async function* sessionNames(redis: RedisConnection, maxKeys: number): AsyncGenerator<NamesPage> {
  let left = maxKeys;
  for await (const keys of scanKeys(redis)) {
    left -= KEYS_PER_STEP;
    const sessions = keys.filter((key) => keyPatterns.session.test(key) || keyPatterns.cap.test(key));
    const advertiserIds = keys.flatMap((key) => {
      const walletId = keyPatterns.account.exec(key)?.[1];
      return walletId === undefined ? [] : advertiserOf(walletId);
    });
    if (sessions.length + advertiserIds.length > 0) yield { sessions, advertiserIds };
    if (left <= 0) return;
  }
}

async function readSession(redis: RedisConnection, name: string): Promise<SessionSummary | null> {
  const seats = keyPatterns.session.exec(name);
  if (seats !== null) {
    const [started, fields] = await Promise.all([redis.hget(name, "started"), redis.hlen(name)]);
    if (started === null) return null;
    return { ...namesOf(seats.slice(1)), kind: "seats", sinceMs: Number(started), ads: fields - 1 };
  }
  const creatives = keyPatterns.cap.exec(name);
  if (creatives === null) return null;
  const { since, base: _base, ...counts } = await redis.hgetall(name);
  if (since === undefined) return null;
  const appearances = Object.entries(counts).filter(([field]) => !field.startsWith("n:"));
  return {
    ...namesOf(creatives.slice(2)),
    kind: "creatives",
    sinceMs: Math.floor(Number(since) / 1_000),
    appearances: new Map(appearances.map(([creativeId, count]) => [creativeId, Number(count)])),
  };
}

function namesOf([game = "", sessionKey = ""]: string[]) {
  return { gameId: decodeName(game), sessionKey };
}
