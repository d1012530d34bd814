import type { RedisConnection } from "../connection.ts";
import { advertiserKeys, gameKeys } from "../keys.ts";
import { isCapStale } from "../money/holds.ts";
import { requirePlainName } from "../money/limits.ts";
import type { SessionReference } from "./sessions.ts";

/** The ads of a player session so far. */
export interface SessionView {
  /** Ads of the session, across advertisers. */
  ads: number;
  /** Appearances in the session of the requested creatives. */
  appearances: Map<string, number>;
}

export interface SessionReader {
  /** Reads without starting or prolonging the session. A session that does not exist has no ads. */
  read(
    session: SessionReference & { advertiserId: string; creativeIds: readonly string[]; idleMs: number },
  ): Promise<SessionView>;
}

/** Reads player sessions for explanations; matching itself takes what it needs from `admit` and `reserve`. */
export function createSessionReader(redis: RedisConnection): SessionReader {
  return {
    async read({ gameId, sessionKey, advertiserId, creativeIds, idleMs }) {
      requirePlainName("sessionKey", sessionKey);
      requirePlainName("advertiserId", advertiserId);
      const key = gameKeys.session(gameId, sessionKey);
      const [started, fields, counts] = await Promise.all([
        redis.hget(key, "started"),
        redis.hlen(key),
        redis.hmget(advertiserKeys.cap(advertiserId, gameId, sessionKey), "since", ...creativeIds),
      ]);
      const [sinceUs, ...appearances] = counts;
      const isOver = started === null || isCapStale(capSinceMs(sinceUs), Number(started), idleMs);
      return {
        ads: started === null ? 0 : fields - 1,
        appearances: new Map(
          creativeIds.map((id, index) => [id, isOver ? 0 : Number(appearances[index] ?? 0)]),
        ),
      };
    },
  };
}

function capSinceMs(sinceUs: string | null | undefined): number | null {
  return sinceUs === null || sinceUs === undefined ? null : Math.floor(Number(sinceUs) / 1_000);
}
