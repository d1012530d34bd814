import type { RedisConnection } from "@diegetic/hot-state";
import { whileAwayNull } from "./stores.fixture.ts";

const COPY_ALL = `
  local copy = {}
  for _, key in ipairs(redis.call('KEYS', '*')) do
    copy[#copy + 1] = key
    copy[#copy + 1] = redis.call('DUMP', key)
  end
  return copy`;

/** A copy of a single Redis at one moment, for `goBackTo`. */
export async function copyOf(redis: RedisConnection): Promise<[string, Buffer][]> {
  const flat = (await redis.callBuffer("EVAL", COPY_ALL, "0")) as Buffer[];
  const copy: [string, Buffer][] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) copy.push([String(flat[i]), flat[i + 1] ?? Buffer.alloc(0)]);
  return copy;
}

/** Simulates a restart with an older file, or the promotion of a lagging replica, on a single Redis. */
export async function goBackTo(redis: RedisConnection, copy: [string, Buffer][]): Promise<void> {
  await redis.call("REPLICAOF", "127.0.0.1", "1");
  await redis.call("REPLICAOF", "NO", "ONE");
  const transaction = redis.multi().flushall();
  for (const [key, dump] of copy) transaction.restore(key, 0, dump);
  await whileAwayNull(transaction.exec());
}
