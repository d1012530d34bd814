import { requirePlainName } from "../arguments.ts";
import type { RedisConnection } from "../connection.ts";
import { gameKeys, sliceOfSession, walletIdOf, walletKeys } from "../keys.ts";
import { createBacklogCommands } from "../money/backlog.ts";
import { isCapLost, isCapStale } from "../money/caps.ts";
import { walletIdsOf } from "../money/wallet-ids.ts";
import { earlierAds, type SessionReference, tagOf } from "./sessions.ts";

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
  const money = createBacklogCommands(redis);
  return {
    async read({ gameId, sessionKey, advertiserId, creativeIds, idleMs }) {
      requirePlainName("sessionKey", sessionKey);
      const key = gameKeys.session(gameId, sessionKey);
      const walletIds = await walletIdsOf(redis, advertiserId);
      const walletId = walletIdOf(advertiserId, sliceOfSession(sessionKey, walletIds.length));
      const [{ started, ...seats }, counts] = await Promise.all([
        redis.hgetall(key),
        redis.hgetall(walletKeys.cap(walletId, gameId, sessionKey)),
      ]);
      if (started === undefined) return { ads: 0, appearances: new Map(creativeIds.map((id) => [id, 0])) };
      const { since, base = 0 } = counts;
      const sinceMs = since === undefined ? null : Math.floor(Number(since) / 1_000);
      const isOver = isCapStale(sinceMs, Number(started), idleMs);
      const tag = tagOf(advertiserId);
      const taken = earlierAds(seats, tag, Number(started));
      const lapsed = taken === null ? [] : await money.findSessionReleases(walletId, taken.matchIds);
      const counted = Object.entries(seats).filter(([matchId]) => !lapsed.includes(matchId));
      const earlier = earlierAds(Object.fromEntries(counted), tag, Number(started));
      const isLost = sinceMs === null || isOver || isCapLost(sinceMs, earlier, idleMs);
      const appearances = (id: string) =>
        isLost ? (earlier?.matchIds.length ?? 0) : Number(counts[id] ?? base);
      return {
        ads: Object.keys(seats).length,
        appearances: new Map(creativeIds.map((id) => [id, appearances(id)])),
      };
    },
  };
}
