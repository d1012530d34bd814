import { connectRedis } from "@diegetic/hot-state";
import { snapshotKeys } from "../../hot-state/src/keys.ts";

/** As in packages/hot-state/lua/include/leases.lua. */
const LOST_LEASES_PREFIX = "before:";
/** Only ends what hangs: on a busy machine, a reply may take longer than the product waits for one. */
const COMMAND_TIMEOUT_MS = 60_000;

/**
 * Removes the lease that stands for leases that Redis may have lost. Only for a Redis that the test has just started, where the product
 * would otherwise delay the first change by two seconds.
 */
export async function forgetLostLeases(redisUrl: string): Promise<void> {
  const redis = connectRedis(redisUrl, { name: "new-redis", commandTimeoutMs: COMMAND_TIMEOUT_MS });
  try {
    const names = await redis.hkeys(snapshotKeys.leases);
    for (const name of names) {
      if (name.startsWith(LOST_LEASES_PREFIX)) await redis.hdel(snapshotKeys.leases, name);
    }
  } finally {
    redis.disconnect();
  }
}
