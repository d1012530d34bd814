import { Cluster, type Redis } from "ioredis";
import type { RedisConnection } from "./connection.ts";
import { isRedisUnavailable } from "./redis-unavailable.ts";

/** The servers behind a connection that accept writes. */
export function mastersOf(redis: RedisConnection): Redis[] {
  return redis instanceof Cluster ? redis.nodes("master") : [redis];
}

/** Asks every master; "" in place of the answer of an unavailable one. */
export function askMasters(
  redis: RedisConnection,
  ask: (master: Redis) => Promise<unknown>,
): Promise<string[]> {
  return Promise.all(
    mastersOf(redis).map((master) =>
      ask(master).then(String, (error: unknown) => {
        if (isRedisUnavailable(error)) return "";
        throw error;
      }),
    ),
  );
}
