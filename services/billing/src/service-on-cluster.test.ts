import { createDatabase, type Database } from "@diegetic/database";
import { createBillingProducer } from "@diegetic/hot-state";
import { createLogger, createMetrics } from "@diegetic/service-kit";
import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { eventually } from "@diegetic/testing/eventually";
import { startTestRedisCluster, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { createBillingService } from "./service.ts";
import { readBillingSettings } from "./settings.ts";
import { createMarket, readSums } from "./testing/market.fixture.ts";
import { Wallets } from "./testing/wallets.fixture.ts";

let server: TestDatabase;
let cluster: TestRedis;
let database: Database;

beforeAll(async () => {
  [server, cluster] = await Promise.all([createTestDatabase(), startTestRedisCluster()]);
  database = createDatabase(server.url);
});
afterAll(async () => {
  await database.$disconnect();
  await Promise.all([server.drop(), cluster.stop()]);
});

it("writes, sweeps and releases on a Redis Cluster as on a single Redis", async () => {
  const wallets = await Wallets.open(await createMarket(database), cluster.url);
  const queued = [];
  for (let i = 0; i < 8; i++) queued.push(await wallets.impress({ campaign: i, game: i }, 300));
  const producer = createBillingProducer(cluster.url);
  await producer.add(queued);
  await wallets.impress({ campaign: 1 }, 300);
  const lapsing = await wallets.hold({ campaign: 2 }, { ttlMs: 20 });
  const service = createBillingService({
    ...readBillingSettings({ DATABASE_URL: server.url, REDIS_URL: cluster.url }),
    logger: createLogger({ service: "billing", instance: "test", level: "silent" }),
    metrics: createMetrics({ service: "billing" }),
    pace: { passEveryMs: 20, pollEveryMs: 20, overdueAfterMs: 300 },
  });
  await eventually(async () => (await wallets.outboxSize()) === 0);
  await eventually(async () => (await wallets.heldMillicents(lapsing.advertiser_id)) === 0);
  let written = 0;
  for (const { campaignId } of wallets.market.campaigns) {
    written += (await readSums(database, campaignId)).impressions.campaign;
  }
  expect(written).toBe(9);
  await service.stop();
  await producer.close();
  wallets.close();
});
