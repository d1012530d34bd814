/** Many advertisers on real stores, and the time until all of them serve again after a loss. */
import { performance } from "node:perf_hooks";
import { createDatabase } from "@diegetic/database";
import { createMoneyCommands, type RedisConnection } from "@diegetic/hot-state";
import { eventually } from "@diegetic/testing/eventually";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import type { Management } from "../../services/management/src/management.ts";
import { createInstance } from "../../services/management/src/testing/harness.ts";
import { insertAdvertisers } from "./many-advertisers.fixture.ts";

export const ADVERTISERS = 1_000;
export const CAMPAIGNS_EACH = 5;
const RECOVERED_WITHIN_MS = 120_000;

/** Losses of a single Redis: its data is gone, or it was promoted and its wallets have to be verified. */
export const LOSSES: Record<string, (redis: RedisConnection) => Promise<unknown>> = {
  flushed: (redis) => redis.flushall(),
  promoted: async (redis) => {
    await redis.call("REPLICAOF", "127.0.0.1", "1");
    await redis.call("REPLICAOF", "NO", "ONE");
  },
};

export class ManyAdvertisers {
  readonly management: Management;
  readonly redis: RedisConnection;

  private constructor(management: Management, redis: RedisConnection) {
    this.management = management;
    this.redis = redis;
  }

  static async open(stores: { databaseUrl: string; redisUrl: string }): Promise<ManyAdvertisers> {
    const database = createDatabase(stores.databaseUrl);
    await insertAdvertisers(database, { advertisers: ADVERTISERS, campaignsEach: CAMPAIGNS_EACH });
    await database.$disconnect();
    const management = createInstance(stores);
    await management.start();
    return new ManyAdvertisers(management, connectTestRedis(stores.redisUrl));
  }

  /** Milliseconds from the loss until the snapshot is complete again, which follows the restore of every wallet. */
  async timeRecovery(lose: (redis: RedisConnection) => Promise<unknown>): Promise<number> {
    await lose(this.redis);
    const startedMs = performance.now();
    if (await this.#isComplete()) throw new Error("nothing was lost");
    await eventually(() => this.#isComplete(), { timeoutMs: RECOVERED_WITHIN_MS });
    return performance.now() - startedMs;
  }

  /** Milliseconds until an advertiser's wallet serves. */
  async timeUntilLive(advertiserId: string): Promise<number> {
    const money = createMoneyCommands(this.redis);
    const account = { advertiserId, version: 1, depositedMillicents: 10_000_000 };
    const startedMs = performance.now();
    await eventually(async () => (await money.applyAccount(account)) !== "unknown_wallet", {
      timeoutMs: RECOVERED_WITHIN_MS,
    });
    return performance.now() - startedMs;
  }

  async close(): Promise<void> {
    this.redis.disconnect();
    await this.management.stop();
  }

  async #isComplete(): Promise<boolean> {
    try {
      await this.management.readiness.snapshot?.();
      return true;
    } catch {
      return false;
    }
  }
}
