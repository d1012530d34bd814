import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis } from "@diegetic/testing/redis";
import { afterEach, expect, it } from "@jest/globals";
import { World } from "./testing/world.fixture.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

it("serves nothing while Redis is unavailable, and recovers without intervention", async () => {
  const redis = await startTestRedis();
  closers.push(() => redis.stop());
  const world = await World.open(redis.url);
  closers.push(() => world.close());
  await world.startInstance();
  await world.reset();
  const game = await world.addGame();
  await world.addCampaign();
  const { body: match } = await world.match(game);
  const root = new URL(world.instances[0]?.url ?? "").origin;
  expect((await fetch(`${root}/readyz`)).status).toBe(200);

  await redis.stop();
  for (const send of [() => world.match(game), () => world.impression(game, match)]) {
    const response = await send().retry(0);
    expect(response.status).toBe(503);
    expect(response.headers["retry-after"]).toMatch(/^[1-9]\d*$/);
    expect(response.headers["x-ratelimit-limit"]).toMatch(/^\d+$/);
    expect(response.body).toEqual({ detail: expect.any(String) });
  }
  expect((await fetch(`${root}/readyz`)).status).toBe(503);
  expect((await fetch(`${root}/healthz`)).status).toBe(200);

  const again = await startTestRedis({ port: Number(new URL(redis.url).port) });
  closers.push(() => again.stop());
  // It restarted empty, so wallets are frozen and nothing is served, even while the last lease is valid.
  expect([204, 503]).toContain((await world.match(game).retry(0)).status);
  await eventually(() => world.publisher.rebuild([]).then(() => true));
  await world.reset();
  const campaign = await world.addCampaign();
  await world.addGame({ ...game, version: 3 });
  const served = await eventually(async () => {
    const response = await world.match(game).retry(0);
    return response.status === 200 ? response.body : undefined;
  });
  expect(served.campaign_id).toBe(campaign.campaign_id);
  expect((await world.impression(game, served)).status).toBe(201);
});

it("answers 503 before it knows the snapshot", async () => {
  const redis = await startTestRedis();
  closers.push(() => redis.stop());
  const world = await World.open(redis.url);
  closers.push(() => world.close());
  await world.startInstance();
  await world.redis.flushall();
  const response = await eventually(async () => {
    const answer = await world.post("/match", {}, { key: "igk_any" }).retry(0);
    return answer.status === 503 ? answer : undefined;
  });
  expect(response.body.detail).toContain("not up to date");
});
