import { createTestDatabase } from "@diegetic/testing/database";
import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterEach, it } from "@jest/globals";
import { createInstance } from "../../services/management/src/testing/harness.ts";
import { insertAdvertisers } from "./many-advertisers.fixture.ts";

/** Published in several pages. */
const ADVERTISERS = 1_200;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

it("management starts although Redis loses everything while it publishes", async () => {
  const [postgres, server] = await Promise.all([createTestDatabase(), startTestRedis()]);
  closers.push(
    () => postgres.drop(),
    () => server.stop(),
  );
  const redis = connectTestRedis(server.url);
  closers.push(() => redis.disconnect());
  const management = createInstance({ databaseUrl: postgres.url, redisUrl: server.url });
  closers.push(() => management.stop());
  await insertAdvertisers(management.database, { advertisers: ADVERTISERS, campaignsEach: 1 });

  const starting = management.start();
  const hasBegun = async () => (await redis.hlen("{snapshot}:entities")) > 0;
  await eventually(hasBegun, { timeoutMs: 60_000, everyMs: 1 });
  await redis.flushall();
  await starting;
  // The loss may have come when everything was published: then the next round publishes it again.
  await eventually(async () => {
    await management.readiness.snapshot?.();
    return (await redis.exists("{adv_1}:account", `{adv_${ADVERTISERS}}:account`)) === 2;
  });
});
