import { performance } from "node:perf_hooks";
import { createDatabase, type Database } from "@diegetic/database";
import { connectRedis, createMoneyCommands, type RedisConnection } from "@diegetic/hot-state";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { createInstance } from "../../services/management/src/testing/harness.ts";
import { createTestDatabase, type TestDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { startTestRedis, type TestRedis } from "../helpers/redis.ts";

const ADVERTISERS = 1_000;
const CAMPAIGNS_EACH = 5;
const LIMIT_MS = 30_000;

let postgres: TestDatabase;
let server: TestRedis;
let database: Database;
let redis: RedisConnection;

beforeAll(async () => {
  [postgres, server] = await Promise.all([createTestDatabase(), startTestRedis()]);
  database = createDatabase(postgres.url);
  redis = connectRedis(server.url, { name: "test" });
  await database.$executeRaw`
    INSERT INTO accounts (id, label) SELECT 'acct_' || n, 'a' FROM generate_series(1, ${ADVERTISERS}::int) n`;
  await database.$executeRaw`
    INSERT INTO advertisers (id, account_id, company_name, contact_email, contact_email_lower, deposited_millicents,
      spent_millicents, impressions)
    SELECT 'adv_' || n, 'acct_' || n, 'c', n || '@example.com', n || '@example.com', 10000000, 5000, 5
    FROM generate_series(1, ${ADVERTISERS}::int) n`;
  await database.$executeRaw`
    INSERT INTO campaigns (id, advertiser_id, name, status, budget_cents, cpm_bid_cents, spent_millicents, impressions)
    SELECT 'camp_' || n || '_' || c, 'adv_' || n, 'c', 'active', 1000, 1000, 1000, 1
    FROM generate_series(1, ${ADVERTISERS}::int) n, generate_series(1, ${CAMPAIGNS_EACH}::int) c`;
  await database.$executeRaw`
    INSERT INTO creatives (id, campaign_id, creative_type, brand_name)
    SELECT 'crt_' || id, id, 'product_mention', 'b' FROM campaigns`;
}, 60_000);
afterAll(async () => {
  redis.disconnect();
  await database.$disconnect();
  await Promise.all([postgres.drop(), server.stop()]);
});

it(`restores ${ADVERTISERS} advertisers within ${LIMIT_MS} ms, lost or only in doubt`, async () => {
  const management = createInstance({ databaseUrl: postgres.url, redisUrl: server.url });
  const money = createMoneyCommands(redis);
  await management.start();
  const restored = async () => {
    await management.readiness.snapshot?.();
    return true;
  };
  try {
    for (const lose of [
      () => redis.flushall(),
      async () => {
        await redis.call("REPLICAOF", "127.0.0.1", "1");
        await redis.call("REPLICAOF", "NO", "ONE");
      },
    ]) {
      await lose();
      await expect(restored()).rejects.toThrow("not complete");
      const startedMs = performance.now();
      await eventually(restored, { timeoutMs: 3 * LIMIT_MS });
      const tookMs = performance.now() - startedMs;
      process.stdout.write(
        `${ADVERTISERS} advertisers, ${ADVERTISERS * CAMPAIGNS_EACH} campaigns: ${Math.round(tookMs)} ms\n`,
      );
      expect(tookMs).toBeLessThan(LIMIT_MS);
      for (const n of [1, 500, 1_000]) {
        const epoch = Number(
          (await database.advertiser.findUniqueOrThrow({ where: { id: `adv_${n}` } })).slotEpoch,
        );
        expect(await money.freezeUnlessLive(`adv_${n}`, epoch)).toEqual({ state: "live" });
        expect(await money.readAccount(`adv_${n}`)).toMatchObject({ spentMillicents: 5_000, impressions: 5 });
        expect(await money.readCampaign(`adv_${n}`, `camp_${n}_5`)).toMatchObject({ spentMillicents: 1_000 });
      }
    }
  } finally {
    await management.stop();
  }
}, 90_000);
