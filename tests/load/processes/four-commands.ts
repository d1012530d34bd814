import type { RedisConnection } from "@diegetic/hot-state";

const FOUR_COMMANDS = `
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('HINCRBY', KEYS[1], 'count', 1)
redis.call('PEXPIRE', KEYS[1], 600000)
return redis.call('HGET', KEYS[1], ARGV[1])`;
const KEYS = 10_000;

/** Loads the minimal script of a request. Returns a function that calls it for a request number. */
export async function loadFourCommands(
  redis: RedisConnection,
): Promise<(number: number) => Promise<unknown>> {
  const sha = String(await redis.script("LOAD", FOUR_COMMANDS));
  return (number) => redis.evalsha(sha, 1, `baseline:${number % KEYS}`, "field", String(number));
}
