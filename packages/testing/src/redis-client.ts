import { connectRedis, type RedisConnection } from "@diegetic/hot-state";

/** Only ends what hangs: on a busy machine, a reply may take longer than the product waits for one. */
const COMMAND_TIMEOUT_MS = 60_000;

/** A connection as the product's, for tests that are not about its time limits. */
export function connectTestRedis(url: string): RedisConnection {
  return connectRedis(url, { name: "test", commandTimeoutMs: COMMAND_TIMEOUT_MS });
}
