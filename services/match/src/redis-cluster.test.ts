import { startTestRedisCluster } from "@diegetic/testing/redis";
import { expect, it } from "@jest/globals";
import { World } from "./testing/world.fixture.ts";

it("matches and bills the same on a Redis Cluster", async () => {
  const redis = await startTestRedisCluster();
  const world = await World.open(redis.url);
  try {
    await world.startInstance({ RATE_LIMIT_MATCH: "1000" });
    await world.startInstance({ RATE_LIMIT_MATCH: "1000" });
    await world.reset();
    const game = await world.addGame();
    const campaigns = [];
    for (let i = 0; i < 6; i++) campaigns.push(await world.addCampaign({ budgetMillicents: 3_000 }));
    const statuses = await Promise.all(
      Array.from({ length: 30 }, async (_, i) => {
        const match = await world.match(game, {}, { instance: i % 2 });
        if (match.status !== 200) return match.status;
        const impression = world.impression(game, match.body, { instance: (i + 1) % 2 });
        return (await impression.set("Idempotency-Key", `scene ${i}`)).status;
      }),
    );
    const expected = Array.from({ length: 30 }, (_, index) => (index < 18 ? 201 : 204));
    expect(statuses.sort((a, b) => a - b)).toEqual(expected);
    for (const { advertiser_id } of campaigns) {
      expect(await world.money.readAccount(advertiser_id)).toMatchObject({
        spentMillicents: 3_000,
        heldMillicents: 0,
      });
    }
  } finally {
    await world.close();
    await redis.stop();
  }
});
