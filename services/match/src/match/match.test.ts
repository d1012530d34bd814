import { readProcessReports } from "@diegetic/hot-state";
import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
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

describe("POST /match", () => {
  it("appears in what the process reports to the operator", async () => {
    const game = await world.addGame();
    await world.addCampaign();
    expect((await world.match(game)).status).toBe(200);
    await eventually(async () =>
      (await readProcessReports(world.redis, Date.now())).some(({ calls }) => (calls?.matches ?? 0) > 0),
    );
  });

  it("returns the complete match", async () => {
    const game = await world.addGame();
    const campaign = await world.addCampaign({
      cpm_bid_cents: 2_500,
      affinities: [
        { affinity_id: "aff_1", affinity_type: "mood", affinity_value: "tense", weight: 1.5 },
        { affinity_id: "aff_2", affinity_type: "lighting", affinity_value: "neon", weight: 1 },
      ],
    });
    const response = await world.match(game, { game_context: { mood_tags: ["Tense"] } });
    expect(response.status).toBe(200);
    expect(response.headers["x-ratelimit-limit"]).toBe("2147483647");
    expect(response.body).toEqual({
      match_id: expect.stringMatching(/^mat_/),
      campaign_id: campaign.campaign_id,
      advertiser_id: campaign.advertiser_id,
      creative_id: campaign.creatives[0]?.creative_id,
      narrative_hook: "A crate of Acme rope stands by the door.",
      creative_type: "narrative_hook",
      brand_name: "Acme",
      product_name: null,
      tagline: null,
      tone: "neutral",
      biased_pipeline: { lighting: "neon", mood: "tense" },
      affinity_score: 1.5,
      cpm_bid_cents: 2_500,
    });
    const totals = await world.money.readCampaign(campaign.advertiser_id, campaign.campaign_id);
    expect(totals).toMatchObject({ heldMillicents: 2_500, spentMillicents: 0 });
  });

  it("returns product, tagline and tone of the creative", async () => {
    const game = await world.addGame();
    const words = { product_name: "Hemp rope", tagline: "Holds.", tone: "humorous" } as const;
    await world.addCampaign({ creatives: [words] });
    expect((await world.match(game)).body).toMatchObject(words);
  });

  const context = { game_id: "g", user_id: "u", game_context: {} };
  it.each<[string, unknown, number, string]>([
    ["not an object", [], 400, "JSON object"],
    ["no game", { user_id: "u", game_context: {} }, 400, "game_id"],
    ["no player", { game_id: "g", game_context: {} }, 400, "user_id"],
    ["no context", { game_id: "g", user_id: "u" }, 400, "game_context"],
    ["country", { ...context, player_geo: { country_code: "XX" } }, 400, "country_code"],
    ["latitude", { ...context, player_geo: { lat: 91, lng: 0 } }, 422, "lat"],
    ["long player", { ...context, user_id: "u".repeat(201) }, 422, "user_id"],
    ["unknown game", context, 404, "game_id"],
  ])("refuses: %s", async (_name, body, status, part) => {
    const response = await world.post("/match", body);
    expect(response.status).toBe(status);
    expect(response.body).toEqual({ detail: expect.stringContaining(part) });
  });

  it("refuses a game of another account, and a key that may not serve", async () => {
    const game = await world.addGame({ account_id: "acct_other" });
    expect((await world.match(game)).status).toBe(403);
    const key = await world.addKey({ scopes: ["advertiser", "developer"] });
    expect((await world.match(await world.addGame(), {}, { key })).status).toBe(403);
    const expired = await world.addKey({ expires_at_ms: Date.now() - 1 });
    expect((await world.match(game, {}, { key: expired })).status).toBe(401);
  });
});

describe("a change that was published", () => {
  it.each([0, 1])("is in force for the next request on instance %i", async (instance) => {
    const game = await world.addGame();
    const campaign = await world.addCampaign();
    const key = await world.addKey();
    const statusOf = async (on = {}) => (await world.match(game, {}, { instance, ...on })).status;
    expect(await statusOf({ key })).toBe(200);
    await world.revokeKey(key);
    expect(await statusOf({ key })).toBe(401);
    await world.addGame({ ...game, version: 2, blocked_advertisers: [campaign.advertiser_id] });
    expect(await statusOf()).toBe(204);
    await world.addGame({ ...game, version: 3, is_active: false });
    expect(await statusOf()).toBe(204);
    await world.addGame({ ...game, version: 4 });
    expect(await statusOf()).toBe(200);
    await world.addCampaign({ ...campaign, version: 2, status: "paused" });
    expect(await statusOf()).toBe(204);
  });
});

describe("no match", () => {
  const reasonOf = async (answer: ReturnType<World["match"]>) => {
    const response = await answer;
    expect([response.status, response.text]).toEqual([204, ""]);
    return response.headers["x-no-match-reason"];
  };

  it("says why, in the documented order", async () => {
    const off = await world.addGame({ is_active: false });
    expect(await reasonOf(world.match(off))).toBe("placement_disabled");
    const game = await world.addGame();
    expect(await reasonOf(world.match(game))).toBe("no_campaigns");
    await world.addCampaign({ status: "paused" });
    expect(await reasonOf(world.match(game))).toBe("no_campaigns");
    await world.addCampaign({ end_date: "2020-01-01" });
    expect(await reasonOf(world.match(game))).toBe("no_eligible_campaign");
    expect(await reasonOf(world.match(off))).toBe("placement_disabled");
    await world.addCampaign({ budgetMillicents: 999 });
    expect(await reasonOf(world.match(game))).toBe("budget");
    expect(await reasonOf(world.match(game))).toBe("budget");
  });

  it.each([
    ["balance", { depositedMillicents: 999 }],
    ["budget", { budgetMillicents: 999 }],
    ["daily cap", { dailyCapMillicents: 999 }],
  ])("lack of %s", async (_name, wish) => {
    const game = await world.addGame();
    await world.addCampaign(wish);
    expect(await reasonOf(world.match(game))).toBe("budget");
  });

  it("names the session's cap before a lack of money, and caps of creatives last", async () => {
    const game = await world.addGame({ max_ads_per_session: 1 });
    const campaign = await world.addCampaign({ budgetMillicents: 1_000 });
    const player = { user_id: "p", session_id: "s" };
    expect((await world.match(game, player)).status).toBe(200);
    expect(await reasonOf(world.match(game))).toBe("budget");
    expect(await reasonOf(world.match(game, player))).toBe("session_cap");
    expect(await reasonOf(world.match(game))).toBe("budget");
    await world.addCampaign({ ...campaign, version: 2, creatives: [{ max_uses_per_game: 1 }] });
    expect((await world.match(game, { user_id: "q" })).status).toBe(200);
    const other = await world.addGame();
    expect((await world.match(other, { user_id: "q" })).status).toBe(200);
    expect(await reasonOf(world.match(other, { user_id: "q" }))).toBe("no_eligible_campaign");
  });

  it("names the session's cap when the only campaign was just refused for a missing wallet", async () => {
    const game = await world.addGame({ max_ads_per_session: 1 });
    const campaign = await world.addCampaign();
    const player = { user_id: "p", session_id: "s" };
    expect((await world.match(game, player)).status).toBe(200);
    await world.redis.del(`{${campaign.advertiser_id}}:account`);
    expect(await reasonOf(world.match(game))).toBe("no_eligible_campaign");
    expect(await reasonOf(world.match(game, player))).toBe("session_cap");
  });

  it("says the same whether a lack of money was just met or is remembered", async () => {
    const game = await world.addGame();
    await world.addCampaign({ creatives: [{ max_uses_per_game: 1 }] });
    const player = { user_id: "p", session_id: "s" };
    expect((await world.match(game, player)).status).toBe(200);
    await world.addCampaign({ cpm_bid_cents: 9_000, budgetMillicents: 1 });
    for (let i = 0; i < 3; i++) expect(await reasonOf(world.match(game, player))).toBe("budget");
  });

  it("takes no session seat for a request without a candidate", async () => {
    const game = await world.addGame();
    await world.addCampaign({ budgetMillicents: 1 });
    // Refusals are remembered briefly, so eventually two requests fall into that time.
    await eventually(async () => {
      await world.match(game);
      const before = await world.redis.keys(`{game:${game.game_id}}:*`);
      expect(await reasonOf(world.match(game))).toBe("budget");
      return (await world.redis.keys(`{game:${game.game_id}}:*`)).length === before.length;
    });
  });

  it("leaves no holds and seats behind", async () => {
    const game = await world.addGame({ max_ads_per_session: 1 });
    const campaign = await world.addCampaign({ budgetMillicents: 999 });
    for (let i = 0; i < 3; i++) expect(await reasonOf(world.match(game, { user_id: "p" }))).toBe("budget");
    await world.addCampaign({ ...campaign, version: 2, budgetMillicents: 5_000 });
    expect((await world.match(game, { user_id: "p" })).status).toBe(200);
    expect(await reasonOf(world.match(game, { user_id: "p" }))).toBe("session_cap");
    const account = await world.money.readAccount(campaign.advertiser_id);
    expect(account?.heldMillicents).toBe(1_000);
  });

  it("tries eight candidates at most, and not again those that just lacked money", async () => {
    const game = await world.addGame();
    for (let i = 0; i < 8; i++) await world.addCampaign({ cpm_bid_cents: 5_000 - i, budgetMillicents: 1 });
    const payer = await world.addCampaign({ cpm_bid_cents: 100 });
    expect(await reasonOf(world.match(game))).toBe("budget");
    const answer = await eventually(async () => {
      const response = await world.match(game);
      return response.status === 200 ? response.body : undefined;
    });
    expect(answer.campaign_id).toBe(payer.campaign_id);
  });
});

describe("choice", () => {
  it("takes the next campaign when the first lacks money", async () => {
    const game = await world.addGame();
    await world.addCampaign({ cpm_bid_cents: 9_000, budgetMillicents: 8_999 });
    const second = await world.addCampaign({ cpm_bid_cents: 1_000 });
    expect((await world.match(game)).body.campaign_id).toBe(second.campaign_id);
  });

  it("shows a session the creative it has seen least, and never the same line twice in a row", async () => {
    const game = await world.addGame();
    await world.addCampaign({
      creatives: [
        { creative_id: "crt_a", narrative_hook: "a1", alt_hooks: ["a2"] },
        { creative_id: "crt_b", narrative_hook: "b1", alt_hooks: ["b2", "b3"] },
      ],
    });
    const seen: string[] = [];
    for (let i = 0; i < 6; i++) {
      const { body } = await world.match(game, { user_id: "p", session_id: "s" }, { instance: i % 2 });
      seen.push(body.narrative_hook);
    }
    expect(seen.filter((hook) => hook.startsWith("a"))).toEqual(["a1", "a2", "a1"]);
    expect(seen.filter((hook) => hook.startsWith("b"))).toEqual(["b1", "b2", "b3"]);
    expect(new Set(seen.slice(0, 2).map((hook) => hook[0])).size).toBe(2);
  });

  it("rotates equal creatives over sessions", async () => {
    const game = await world.addGame();
    await world.addCampaign({ creatives: [{ creative_id: "crt_a" }, { creative_id: "crt_b" }] });
    const seen = [];
    for (let i = 0; i < 4; i++) seen.push((await world.match(game)).body.creative_id);
    expect(seen.sort()).toEqual(["crt_a", "crt_a", "crt_b", "crt_b"]);
  });

  it("applies a pause that only the advertiser's wallet knows", async () => {
    const game = await world.addGame();
    const campaign = await world.addCampaign();
    expect((await world.match(game)).status).toBe(200);
    await world.addCampaign({ ...campaign, version: 2, status: "paused", walletOnly: true });
    const response = await world.match(game);
    expect(response.status).toBe(204);
  });

  it("draws the winner of a tie by the random number from outside", async () => {
    let random = 0;
    const instance = await world.startInstance({}, { random: () => random });
    const on = { instance: world.instances.indexOf(instance) };
    const game = await world.addGame();
    const rare = await world.addCampaign({ cpm_bid_cents: 1_000, priority: 0 });
    const often = await world.addCampaign({ cpm_bid_cents: 999, priority: 9 });
    await world.addCampaign({ cpm_bid_cents: 980, priority: 10 });
    const winners = [];
    for (random of [0, 0.08, 0.1, 0.5, 0.999]) {
      winners.push((await world.match(game, {}, on)).body.campaign_id);
    }
    const [a, b] = [rare.campaign_id, often.campaign_id];
    expect(winners).toEqual([a, a, b, b, b]);
  });

  it("skips a campaign whose newer version is not published yet", async () => {
    const game = await world.addGame();
    const campaign = await world.addCampaign({ cpm_bid_cents: 9_000 });
    const second = await world.addCampaign();
    await world.addCampaign({ ...campaign, version: 2, walletOnly: true });
    expect((await world.match(game)).body.campaign_id).toBe(second.campaign_id);
    const totals = await world.money.readAccount(campaign.advertiser_id);
    expect(totals?.heldMillicents).toBe(0);
  });

  it("serves by the newest version once it is published", async () => {
    const game = await world.addGame();
    const campaign = await world.addCampaign();
    await world.addCampaign({ ...campaign, version: 2, cpm_bid_cents: 3_000 });
    for (const instance of [0, 1]) {
      expect((await world.match(game, {}, { instance })).body.cpm_bid_cents).toBe(3_000);
    }
  });
});
