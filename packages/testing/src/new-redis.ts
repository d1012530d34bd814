import { connectRedis } from "@diegetic/hot-state";
import { EARLIER_LEASE, snapshotKeys } from "../../hot-state/src/keys.ts";

/**
 * Removes the lease that stands for earlier leases. Only for a Redis that the test has just started, where the product
 * would otherwise delay the first change by two seconds.
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
