import type { ImpressionRecord } from "@diegetic/contracts";
import { startBillingWorker } from "@diegetic/testing/billing-worker";
import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { matched, spentAndHeld } from "../testing/matched.fixture.ts";
import { type CampaignWish, World } from "../testing/world.fixture.ts";

let redis: TestRedis;
let world: World;
const HOLD_TTL_MS = 1_000;
beforeAll(async () => {
  redis = await startTestRedis();
  world = await World.open(redis.url);
  await world.startInstance();
  await world.startInstance();
  const shortHolds = { HOLD_TTL_SECONDS: String(HOLD_TTL_MS / 1_000) };
  await world.startInstance(shortHolds);
  await world.startInstance({
    ...shortHolds,
    LATE_IMPRESSION_SECONDS: String(HOLD_TTL_MS / 1_000),
    MATCH_WITHOUT_ID_SECONDS: "0",
  });
});
afterAll(async () => {
  await world.close();
  await redis.stop();
});
beforeEach(() => world.reset());

const SHORT_HOLDS = { instance: 2 };
/** Nothing is billed after its hold. */
const NEVER_LATE = { instance: 3 };

describe("POST /impressions", () => {
  it("bills a match and answers the record", async () => {
    const { game, campaign, match } = await matched(world, { cpm_bid_cents: 1_234 });
    const response = await world.impression(game, match, { instance: 1 });
    expect(response.status).toBe(201);
    expect(response.body).toEqual({
      impression_id: expect.stringMatching(/^imp_/),
      campaign_id: match.campaign_id,
      creative_id: match.creative_id,
      game_id: game.game_id,
      charged_cents: 1.234,
      recorded_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(await spentAndHeld(world, campaign)).toEqual([1_234, 0]);
  });

  it("without a match_id, takes the oldest unbilled match, one each", async () => {
    const { game, campaign, match } = await matched(world);
    await world.match(game);
    const { campaign_id, creative_id } = match;
    for (let i = 0; i < 2; i++) {
      expect((await world.impression(game, { campaign_id, creative_id }, { instance: i })).status).toBe(201);
    }
    const third = await world.impression(game, { campaign_id, creative_id });
    expect([third.status, third.body.detail]).toEqual([409, expect.stringContaining("no unbilled match")]);
    expect(await spentAndHeld(world, campaign)).toEqual([2_000, 0]);
  });

  it("reads of the campaign only its ids, however large it is", async () => {
    const game = await world.addGame();
    const hooks = Array.from({ length: 4 }, () => "h".repeat(2_000));
    const campaign = await world.addCampaign({
      status: "draft",
      creatives: Array.from({ length: 100 }, (_, n) => ({ creative_id: `crt_${n}`, alt_hooks: hooks })),
    });
    const { campaign_id } = campaign;
    const { parse } = JSON;
    const lengths: number[] = [];
    JSON.parse = (text, reviver) => {
      lengths.push(text.length);
      return parse(text, reviver);
    };
    try {
      const known = await world.impression(game, { campaign_id, creative_id: "crt_99" });
      expect([known.status, known.body.detail]).toEqual([409, expect.stringContaining("no unbilled match")]);
      const unknown = await world.impression(game, { campaign_id, creative_id: "crt_100" });
      expect([unknown.status, unknown.body.detail]).toEqual([404, expect.stringContaining("creative_id")]);
      expect(lengths).not.toEqual([]);
      expect(Math.max(...lengths)).toBeLessThan(10_000);
    } finally {
      JSON.parse = parse;
    }
  });

  it("distinguishes unknown, foreign and unmatched", async () => {
    const { game, campaign, match } = await matched(world);
    const other = await world.addCampaign({ status: "paused" });
    const foreign = await world.addGame({ account_id: "acct_other" });
    const second = await world.addGame();
    const statusOf = async (at: typeof game, change: Record<string, string>) =>
      (await world.impression(at, { ...match, ...change })).status;
    expect(await statusOf({ ...game, game_id: "unknown" }, {})).toBe(404);
    expect(await statusOf(foreign, {})).toBe(403);
    expect(await statusOf(game, { campaign_id: "camp_unknown" })).toBe(404);
    expect(await statusOf(game, { creative_id: "crt_unknown" })).toBe(404);
    expect(await statusOf(game, { creative_id: "{odd} \u00e9 name" })).toBe(404);
    expect(await statusOf(game, { creative_id: other.creatives[0]?.creative_id ?? "" })).toBe(404);
    expect(await statusOf(game, { campaign_id: other.campaign_id })).toBe(404);
    expect(await statusOf(game, { match_id: "mat_unknown" })).toBe(409);
    expect(await statusOf(game, { match_id: "not {a} match" })).toBe(409);
    expect(await statusOf(second, {})).toBe(409);
    expect(await statusOf(game, { match_id: "" })).toBe(400);
    expect((await world.post("/impressions", { game_id: game.game_id })).status).toBe(400);
    expect(await spentAndHeld(world, campaign)).toEqual([0, 1_000]);
    expect(await statusOf(game, {})).toBe(201);
  });

  it("bills a match although campaign, creative or placement were paused, deleted or disabled since", async () => {
    const { game, campaign, match } = await matched(world);
    await world.addCampaign({
      ...campaign,
      version: 2,
      status: "paused",
      creatives: [{ creative_id: "crt_new" }],
    });
    await world.addGame({ ...game, version: 2, is_active: false });
    expect((await world.impression(game, match)).status).toBe(201);
    expect((await world.impression(game, { ...match, match_id: "mat_other" })).status).toBe(404);
  });

  it("charges the bid in force at the match", async () => {
    const { game, campaign, match } = await matched(world, { cpm_bid_cents: 1_000 });
    await world.addCampaign({ ...campaign, version: 2, cpm_bid_cents: 9_000 });
    expect((await world.impression(game, match)).body.charged_cents).toBe(1);
  });

  it("refuses an impression that no longer fits a lowered budget", async () => {
    const { game, campaign, match } = await matched(world);
    await world.addCampaign({ ...campaign, version: 2, budgetMillicents: 999 });
    const response = await world.impression(game, match);
    expect([response.status, response.body.detail]).toEqual([409, expect.stringContaining("budget")]);
  });
});

describe("late impressions", () => {
  async function lapsed(wish: CampaignWish) {
    const { game, campaign, match } = await matched(world, wish, SHORT_HOLDS);
    const [hold] = await eventually(async () => {
      const { holds } = await world.money.listLapsed(campaign.advertiser_id, 10);
      return holds.length > 0 ? holds : undefined;
    });
    if (hold === undefined) throw new Error("nothing has lapsed");
    expect(await world.money.release(hold, "lapsed")).toBe("released");
    return { game, campaign, match };
  }

  it("are billed while the money can be held again", async () => {
    const { game, campaign, match } = await lapsed({ budgetMillicents: 1_000 });
    expect(await spentAndHeld(world, campaign)).toEqual([0, 0]);
    expect((await world.impression(game, match)).status).toBe(201);
    expect(await spentAndHeld(world, campaign)).toEqual([1_000, 0]);
  });

  it("are billed from what their match_id carries once Redis has forgotten the match, once and nowhere else", async () => {
    const { game, campaign, match } = await lapsed({});
    const keys = await world.redis.keys(`{${campaign.advertiser_id}}:*`);
    const ofMatches = keys.filter((key) => /:(matches|pending):/.test(key));
    expect(ofMatches).toHaveLength(2);
    await world.redis.del(...ofMatches);
    expect((await world.impression(game, { ...match, match_id: match.match_id.slice(0, 30) })).status).toBe(
      409,
    );
    const other = await world.addGame();
    expect((await world.impression(other, match)).status).toBe(409);
    const first = await world.impression(game, match);
    expect(first.status).toBe(201);
    const again = await world.impression(game, match);
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(await spentAndHeld(world, campaign)).toEqual([1_000, 0]);
    const { items } = await world.money.listOutbox(campaign.advertiser_id, 10);
    expect(items).toMatchObject([
      { match: { advertiser_id: campaign.advertiser_id, game_id: game.game_id } },
    ]);
  });

  it("need their match_id, and are refused with it too, after the times that are set", async () => {
    const { game, match } = await lapsed({});
    const anyMatch = { campaign_id: match.campaign_id, creative_id: match.creative_id };
    const unnamed = await world.impression(game, anyMatch, NEVER_LATE);
    expect([unnamed.status, unnamed.body.detail]).toEqual([409, expect.stringContaining("send match_id")]);
    const late = await world.impression(game, match, NEVER_LATE);
    expect([late.status, late.body.detail]).toEqual([409, expect.stringContaining("too old")]);
    expect((await world.impression(game, anyMatch)).status).toBe(201);
  });

  it.each([
    ["budget", { budgetMillicents: 1_999 }, "budget"],
    ["balance", { depositedMillicents: 1_999 }, "balance"],
    ["daily cap", { dailyCapMillicents: 1_999 }, "daily cap"],
  ])("are refused when another match has taken the %s", async (_name, wish, word) => {
    const { game, match } = await lapsed(wish);
    expect((await world.match(game)).status).toBe(200);
    const response = await world.impression(game, match);
    expect([response.status, response.body.detail]).toEqual([409, expect.stringContaining(word)]);
  });
});

describe("money", () => {
  it.each([
    ["a budget of seven", { budgetMillicents: 7_999 }, 7],
    ["a balance of five", { depositedMillicents: 5_000 }, 5],
    ["a daily cap of three", { dailyCapMillicents: 3_500 }, 3],
    ["a budget that one impression empties", { budgetMillicents: 1_000 }, 1],
  ])("%s pays for exactly so many impressions over two instances", async (_name, wish, payable) => {
    const game = await world.addGame();
    const campaign = await world.addCampaign(wish);
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        const match = await world.match(game, {}, { instance: i % 2 });
        if (match.status === 204) return 204;
        const on = { instance: (i + 1) % 2 };
        return (await world.impression(game, match.body, on)).status;
      }),
    );
    expect(statuses.filter((status) => status === 201)).toHaveLength(payable);
    expect(statuses.filter((status) => status === 204)).toHaveLength(40 - payable);
    expect(await spentAndHeld(world, campaign)).toEqual([payable * 1_000, 0]);
    expect(await world.money.readAccount(campaign.advertiser_id)).toMatchObject({
      spentMillicents: payable * 1_000,
      heldMillicents: 0,
      impressions: payable,
    });
  });
});

describe("the records for the billing service", () => {
  it("is also what was charged by a request that could not be answered", async () => {
    const { game, match } = await matched(world);
    await world.redis.set("{due}:outbox", "no index");
    expect((await world.impression(game, match)).status).toBe(500);
    await world.redis.del("{due}:outbox");
    const received: ImpressionRecord[] = [];
    const worker = startBillingWorker(redis.url, async ({ records }) => void received.push(...records));
    await eventually(() =>
      received.some((record) => match.match_id.startsWith(record.match.match_id)),
    ).finally(() => worker.close());
  });

  it("is every record, in the outbox and in the queue, without the player's id", async () => {
    const { game, campaign, match } = await matched(world, {
      affinities: [{ affinity_id: "aff_1", affinity_type: "theme", affinity_value: "noir", weight: 2 }],
    });
    const received = new Map<string, ImpressionRecord>();
    const worker = startBillingWorker(redis.url, async ({ records }) => {
      for (const record of records) received.set(record.impression_id, record);
    });
    const startedMs = Date.now();
    const answers = [await world.impression(game, match)];
    for (let i = 0; i < 30; i++) {
      const player = { user_id: `player ${i}`, player_geo: { country_code: "de" } };
      const { body } = await world.match(game, { ...player, game_context: { theme_id: "Noir" } });
      answers.push(await world.impression(game, body, { instance: i % 2 }));
    }
    const last = answers.at(-1)?.body.impression_id ?? "";
    await eventually(() => answers.every(({ body }) => received.has(body.impression_id)));
    await worker.close();
    expect(received.get(last)?.match).toMatchObject({
      advertiser_id: campaign.advertiser_id,
      developer_account_id: "acct_dev",
      country_code: "DE",
      affinity_score: 2,
      affinities: [{ affinity_id: "aff_1", contribution: 2 }],
      price_millicents: 1_000,
      revenue_share_basis_points: 7_000,
    });
    const { items } = await world.money.listOutbox(campaign.advertiser_id, 100);
    expect(items).toHaveLength(31);
    expect(JSON.stringify(items)).not.toContain("player 1");
    const due = await world.redis.zscore("{due}:outbox", campaign.advertiser_id);
    expect(Number(due)).toBeGreaterThanOrEqual(startedMs + 5_000);
  });
});
