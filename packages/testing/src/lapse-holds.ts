import type { RedisConnection } from "@diegetic/hot-state";
import { walletKeys } from "../../hot-state/src/keys.ts";

/**
 * Lets the time of open holds end now, so that a test needs no short ones, which may end before its next step.
 * @param isWanted by match id. Default: all of the wallet
 */
export async function lapseHolds(
  redis: RedisConnection,
  walletId: string,
  isWanted: (matchId: string) => boolean = () => true,
): Promise<void> {
  const holds = walletKeys.holds(walletId);
  for (const member of await redis.zrange(holds, "0", "-1")) {
    const [matchId = "", campaignId = "", encodedGameId] = member.split("|");
    if (!isWanted(matchId)) continue;
    const matches = `${walletKeys.matches(walletId, campaignId, "")}${encodedGameId}`;
    const match = await redis.hget(matches, matchId);
    if (match === null) throw new Error(`the open hold of ${matchId} has no match`);
    const [state, price, _lapsesAtMs, ...rest] = match.split("|");
    const nowMs = Date.now();
    await redis.hset(matches, matchId, [state, price, nowMs, ...rest].join("|"));
    await redis.zadd(holds, nowMs, member);
  }
}
