import { createDatabase, DAY_MS, type Database } from "@diegetic/database";
import { type BillingProducer, createBillingProducer } from "@diegetic/hot-state";
import { createLogger, createMetrics } from "@diegetic/service-kit";
import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createBillingService } from "./service.ts";
import { readBillingSettings } from "./settings.ts";
import { expectTotals } from "./testing/expected-totals.fixture.ts";
import { createMarket, type Market, recordIn } from "./testing/market.fixture.ts";

const MARKETS = 4;

let server: TestDatabase;
let redis: TestRedis;
let database: Database;
let producer: BillingProducer;

beforeAll(async () => {
  [server, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
  database = createDatabase(server.url);
  producer = createBillingProducer(redis.url);
});
afterAll(async () => {
  await Promise.all([producer.close(), database.$disconnect()]);
  await Promise.all([server.drop(), redis.stop()]);
});

/** Eight advertisers with sixteen campaigns, all of them in the same eight games. */
async function createLargeMarket(): Promise<Market> {
  const markets: Market[] = [];
  for (let n = 0; n < MARKETS; n++) markets.push(await createMarket(database));
  return {
    campaigns: markets.flatMap(({ campaigns }) => campaigns),
    games: markets.flatMap(({ games }) => games),
  };
}

function startService(instance: string) {
  const environment = { DATABASE_URL: server.url, REDIS_URL: redis.url, LOG_LEVEL: "silent" };
  return createBillingService({
    ...readBillingSettings(environment),
    logger: createLogger({ service: "billing", instance, level: "silent" }),
    metrics: createMetrics({ service: "billing" }),
  });
}

describe("two billing services with two writerPartitions each", () => {
  it("write jobs once that are divided among writerPartitions, of shared games on several days, delivered twice", async () => {
    const market = await createLargeMarket();
    const nowMs = Date.now();
    const jobs = [100, 137, 250, 333, 500, 40].map((size, job) =>
      Array.from({ length: size }, (_, n) =>
        recordIn(market, {
          campaign: n * 7 + job,
          creative: n % 2,
          game: n % 5,
          user: n % 37,
          countryCode: [null, "DE", "US"][n % 3] ?? null,
          priceMillicents: 100 + (n % 11),
          recordedAtMs: nowMs - ((n + job) % 3) * DAY_MS,
          contributions: [{ affinity: n % 2, contribution: 0.5 }],
        }),
      ),
    );
    for (const job of [...jobs, ...jobs.toReversed()]) await producer.add(job);
    const services = [startService("first"), startService("second")];
    try {
      await eventually(async () => (await producer.depth()) === 0);
    } finally {
      await Promise.all(services.map((service) => service.stop()));
    }
    await expectTotals(database, market, jobs.flat());
    expect(await database.quarantinedImpression.count()).toBe(0);
  });
});
