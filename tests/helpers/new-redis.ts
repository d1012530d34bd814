import { connectRedis } from "@diegetic/hot-state";

const LEASES = "{snapshot}:leases";

/**
 * Says of a Redis that the test has just started, and in which management has just published: nobody trusts a lease from
 * before. The product cannot know that, and lets the first change wait for such a lease, two seconds.
 */
export async function forgetEarlierLeases(redisUrl: string): Promise<void> {
  const redis = connectRedis(redisUrl, { name: "new-redis" });
  try {
    const names = await redis.hkeys(LEASES);
    for (const name of names) if (name.startsWith("before:")) await redis.hdel(LEASES, name);
  } finally {
    redis.disconnect();
  }
}
