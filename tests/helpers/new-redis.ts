import { connectRedis } from "@diegetic/hot-state";
import { EARLIER_LEASE, snapshotKeys } from "../../packages/hot-state/src/keys.ts";

/**
 * Says of a Redis that the test has just started, and in which management has just published: nobody trusts a lease from
 * before. The product cannot know that, and lets the first change wait for such a lease, two seconds.
 */
export async function forgetEarlierLeases(redisUrl: string): Promise<void> {
  const redis = connectRedis(redisUrl, { name: "new-redis" });
  try {
    const names = await redis.hkeys(snapshotKeys.leases);
    for (const name of names) {
      if (name.startsWith(EARLIER_LEASE)) await redis.hdel(snapshotKeys.leases, name);
    }
  } finally {
    redis.disconnect();
  }
}
