import { snapshotKeys } from "../../hot-state/src/keys.ts";
import { connectTestRedis } from "./redis-client.ts";

/** As in packages/hot-state/lua/include/leases.lua. */
const LOST_LEASES_PREFIX = "before:";

/**
 * Removes the lease that stands for leases that Redis may have lost. Only for a Redis that the test has just started, where the product
 * would otherwise delay the first change by two seconds.
 */
export async function forgetLostLeases(redisUrl: string): Promise<void> {
  const redis = connectTestRedis(redisUrl);
  try {
    const names = await redis.hkeys(snapshotKeys.leases);
    for (const name of names) {
      if (name.startsWith(LOST_LEASES_PREFIX)) await redis.hdel(snapshotKeys.leases, name);
    }
  } finally {
    redis.disconnect();
  }
}
