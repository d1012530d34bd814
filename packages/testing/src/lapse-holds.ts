import type { RedisConnection } from "@diegetic/hot-state";

/**
 * Lets the time of open holds end now, so that a test needs no short ones, which may end before its next step.
 * @param of their matches. Default: all of the wallet
 */
export async function lapseHolds(
  redis: RedisConnection,
  walletId: string,
  of: (matchId: string) => boolean = () => true,
): Promise<void> {
  const holds = `{${walletId}}:holds`;
  for (const member of await redis.zrange(holds, "0", "-1")) {
    const [matchId = "", campaignId, gameId] = member.split("|");
    if (!of(matchId)) continue;
    const matches = `{${walletId}}:matches:${campaignId}:${gameId}`;
    const [state, price, _lapsesAtMs, ...rest] = String(await redis.hget(matches, matchId)).split("|");
    const nowMs = Date.now();
    await redis.hset(matches, matchId, [state, price, nowMs, ...rest].join("|"));
    await redis.zadd(holds, nowMs, member);
  }
}
