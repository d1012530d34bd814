import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { Response } from "supertest";
import { matched, spentAndHeld } from "../testing/matched.fixture.ts";
import { World } from "../testing/world.fixture.ts";

let redis: TestRedis;
let world: World;
beforeAll(async () => {
  redis = await startTestRedis();
  world = await World.open(redis.url);
  await world.startInstance();
  await world.startInstance();
});
afterAll(async () => {
  await world.close();
  await redis.stop();
});
beforeEach(() => world.reset());

describe("retries", () => {
  const bodies = (answers: Response[]) => new Set(answers.map(({ body }) => JSON.stringify(body)));

  it("of one match_id, concurrently on two instances, return one record", async () => {
    const { game, campaign, match } = await matched(world);
    await world.match(game);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        world.impression(game, match, { instance: i % 2 }).then((answer) => answer),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(bodies(answers).size).toBe(1);
    expect(await spentAndHeld(world, campaign)).toEqual([1_000, 1_000]);
  });

  it("of one Idempotency-Key, concurrently, return one record and take one match", async () => {
    const { game, campaign, match } = await matched(world);
    for (let i = 0; i < 5; i++) await world.match(game);
    const { campaign_id, creative_id } = match;
    const send = (i: number) =>
      world
        .impression(game, { campaign_id, creative_id }, { instance: i % 2 })
        .set("Idempotency-Key", "scene 7")
        .then((answer) => answer);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => send(i)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(bodies(answers).size).toBe(1);
    expect(await spentAndHeld(world, campaign)).toEqual([1_000, 5_000]);
  });

  it("of one Idempotency-Key with another body are refused, with another order of fields they are not", async () => {
    const { game, match } = await matched(world);
    const { campaign_id, creative_id, match_id } = match;
    const send = (body: object) => world.post("/impressions", body).set("Idempotency-Key", `k-${match_id}`);
    const first = await send({ campaign_id, creative_id, game_id: game.game_id });
    expect(first.status).toBe(201);
    const reordered = await send({ game_id: game.game_id, creative_id, campaign_id });
    expect([reordered.status, reordered.body]).toEqual([201, first.body]);
    const other = await send({ campaign_id, creative_id, game_id: game.game_id, match_id });
    expect([other.status, other.body.detail]).toEqual([409, expect.stringContaining("Idempotency-Key")]);
  });

  it("of one Idempotency-Key never charge another match, even if the wallet lost data", async () => {
    const { game, campaign, match } = await matched(world);
    await world.match(game);
    const { campaign_id, creative_id } = match;
    const send = () =>
      world.impression(game, { campaign_id, creative_id }).set("Idempotency-Key", `once-${game.game_id}`);
    const first = await send();
    expect(first.status).toBe(201);
    const [matches = ""] = await world.redis.keys(`{${campaign.advertiser_id}}:matches:*`);
    const forget = async (prefix: string) => {
      const fields = await world.redis.hkeys(matches);
      await world.redis.hdel(matches, ...fields.filter((field) => field.startsWith(prefix)));
    };
    await forget("op:");
    const again = await send();
    expect([again.status, again.body]).toEqual([201, first.body]);
    await forget(match.match_id.slice(0, 30));
    expect((await send()).status).toBe(409);
    expect(await spentAndHeld(world, campaign)).toEqual([1_000, 1_000]);
  });

  it("of one Idempotency-Key are queued for billing, in case Redis lost the first", async () => {
    const { game, campaign, match } = await matched(world);
    await world.match(game);
    const { campaign_id, creative_id } = match;
    const before = await world.redis.keys("{idempotency:*");
    const send = () =>
      world.impression(game, { campaign_id, creative_id }).set("Idempotency-Key", `lost-${game.game_id}`);
    const forgetClaim = async () =>
      world.redis.del(...(await world.redis.keys("{idempotency:*")).filter((key) => !before.includes(key)));
    const first = await send();
    await forgetClaim();
    const again = await send();
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(await spentAndHeld(world, campaign)).toEqual([1_000, 1_000]);
    const [matches = ""] = await world.redis.keys(`{${campaign.advertiser_id}}:matches:*`);
    const operations = (await world.redis.hkeys(matches)).filter((field) => field.startsWith("op:"));
    await world.redis.hdel(matches, ...operations);
    await forgetClaim();
    expect((await send()).body.impression_id).not.toBe(first.body.impression_id);
    const { items } = await world.money.listOutbox(campaign.advertiser_id, 10);
    const ids = items.map((record) => `op:${record.operation_id}`);
    expect([items.length, new Set([...ids, ...operations]).size]).toEqual([2, 1]);
  });

  it("a key whose request was refused may be used again", async () => {
    const game = await world.addGame();
    const campaign = await world.addCampaign();
    const wanted = {
      campaign_id: campaign.campaign_id,
      creative_id: campaign.creatives[0]?.creative_id ?? "",
    };
    const send = (more = {}) =>
      world.impression(game, { ...wanted, ...more }).set("Idempotency-Key", "again");
    expect((await send()).status).toBe(409);
    const { body: elsewhere } = await world.match(await world.addGame());
    expect((await send({ match_id: elsewhere.match_id })).body.detail).toMatch(/match_id/);
    await world.match(game);
    expect((await send()).status).toBe(201);
  });

  it("keys are per account and have at most 255 characters", async () => {
    const { game, match } = await matched(world);
    expect((await world.impression(game, match).set("Idempotency-Key", "k".repeat(256))).status).toBe(422);
    expect((await world.impression(game, match).set("Idempotency-Key", "k".repeat(255))).status).toBe(201);
    const key = await world.addKey({ account_id: "acct_second" });
    const theirs = await world.addGame({ account_id: "acct_second" });
    const { body } = await world.match(theirs, {}, { key });
    const response = await world.impression(theirs, body, { key }).set("Idempotency-Key", "k".repeat(255));
    expect([response.status, response.body.game_id]).toEqual([201, theirs.game_id]);
  });
});
