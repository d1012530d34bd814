import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Caller } from "../../services/management/src/testing/harness.ts";
import { type Advertiser, AnalyticsWorld, DAY_MS, NOON_MS, type Seen } from "./world.fixture.ts";

let world: AnalyticsWorld;
/** Of three advertisers; the second and the third have seen as many impressions. */
let owners: Advertiser[];
let campaigns: { campaignId: string; creativeId: string }[];
let developer: Caller;

const see = (campaign: number, count: number, seen: Partial<Seen> = {}) => {
  const { campaignId = "", creativeId = "" } = campaigns[campaign] ?? {};
  const facts = {
    campaignId,
    creativeId,
    gameId: "game-a",
    developerAccountId: developer.accountId,
    ...seen,
  };
  return world.see(...Array.from({ length: count }, () => facts));
};

beforeAll(async () => {
  world = await AnalyticsWorld.open();
  owners = [];
  campaigns = [];
  for (let i = 0; i < 3; i++) {
    const owner = await world.harness.advertiser(1_000);
    owners.push(owner);
    campaigns.push(await world.draft(owner, { name: `Campaign ${i}` }));
  }
  developer = await world.harness.caller();
  for (const game of ["game-a", "game-b", "game-c"]) {
    const body = { creator_id: "c", placement_types: ["narrative_hook"], revenue_share_pct: 33.33 };
    await developer.post(`/placements/${game}`, body).expect(201);
  }
  // An impression earns 33.33 % of 333 000 microcents, half to even: 110 989.
  const share = { priceMillicents: 333, basisPoints: 3_333 };
  await see(0, 4, share);
  await see(1, 5, { ...share, recordedAtMs: NOON_MS - 29 * DAY_MS });
  await see(2, 4, share);
  await see(2, 1, { ...share, recordedAtMs: NOON_MS - 30 * DAY_MS });
  await see(0, 1, { gameId: "game-b", priceMillicents: 10_000, basisPoints: 10_000 });
});
afterAll(() => world.stop());

describe("GET /creator-revenue", () => {
  it("shows the account's games, most impressions first, earned rounded down", async () => {
    const game = (game_id: string, impressions: number, earned_microcents: number) => ({
      game_id,
      earned_cents: Math.floor(earned_microcents / 1_000_000),
      earned_microcents,
      impressions,
      revenue_share_pct: 33.33,
    });
    await developer.get("/creator-revenue").expect(200, {
      // 14 × 110 989 + 10 000 000 microcents.
      total_earned_cents: 11,
      total_earned_microcents: 11_553_846,
      total_impressions: 15,
      games_count: 3,
      games: [game("game-a", 14, 1_553_846), game("game-b", 1, 10_000_000), game("game-c", 0, 0)],
    });
  });

  it("is empty for an account without games", async () => {
    await owners[0]?.get("/creator-revenue").expect(200, {
      total_earned_cents: 0,
      total_earned_microcents: 0,
      total_impressions: 0,
      games_count: 0,
      games: [],
    });
  });

  it("is for developers", async () => {
    const advertiser = await world.harness.caller({ scopes: ["advertiser"] });
    await advertiser.get("/creator-revenue").expect(403);
    await advertiser.get("/creator-revenue/game-a").expect(403);
  });
});

describe("GET /creator-revenue/{game_id}", () => {
  it("shows the game with its advertisers and the last 30 days, zeros included", async () => {
    const { body } = await developer.get("/creator-revenue/game-a").expect(200);
    const { daily, ...rest } = body;
    const [first = "", second = "", third = ""] = owners.map(({ advertiserId }) => advertiserId);
    expect(rest).toEqual({
      game_id: "game-a",
      earned_cents: 1,
      earned_microcents: 1_553_846,
      impressions: 14,
      revenue_share_pct: 33.33,
      top_advertisers: [
        { advertiser_id: second, impressions: 5, earned_cents: 0, earned_microcents: 554_945 },
        { advertiser_id: third, impressions: 5, earned_cents: 0, earned_microcents: 554_945 },
        { advertiser_id: first, impressions: 4, earned_cents: 0, earned_microcents: 443_956 },
      ],
    });
    expect(daily).toHaveLength(30);
    expect(daily[0]).toEqual({
      date: "2026-11-21",
      impressions: 8,
      earned_cents: 0,
      earned_microcents: 887_912,
    });
    expect(daily[1]).toEqual({ date: "2026-11-20", impressions: 0, earned_cents: 0, earned_microcents: 0 });
    expect(daily[29]).toEqual({
      date: "2026-10-23",
      impressions: 5,
      earned_cents: 0,
      earned_microcents: 554_945,
    });
  });

  it("is for the game's own developer", async () => {
    await developer.get("/creator-revenue/nothing").expect(404);
    await owners[0]?.get("/creator-revenue/game-a").expect(403);
  });
});

describe("earnings above 2^53 microcents", () => {
  it("are the nearest double, and exact in cents", async () => {
    const rich = await world.harness.caller();
    const body = { creator_id: "c", placement_types: ["narrative_hook"], revenue_share_pct: 100 };
    await rich.post("/placements/rich", body).expect(201);
    const { accountId } = rich;
    const [{ advertiserId = "" } = {}] = owners;
    const { campaignId = "" } = campaigns[0] ?? {};
    // 9.1 billion cents and one microcent: no double has all of its digits.
    const earned = {
      accountId,
      gameId: "rich",
      impressions: 910_000_000n,
      earningMicrocents: 9_100_000_000_000_001n,
    };
    const day = new Date("2026-11-21");
    await world.database.gameTotal.create({ data: earned });
    await world.database.gameRollup.create({ data: { ...earned, day } });
    await world.database.gameAdvertiserRollup.create({ data: { ...earned, day, advertiserId } });
    await world.database.campaignGame.create({ data: { ...earned, campaignId, advertiserId } });
    const microcents = 9_100_000_000_000_000;
    const inGame = { earned_cents: 9_100_000_000, earned_microcents: microcents };

    const { body: account } = await rich.get("/creator-revenue").expect(200);
    expect(account).toMatchObject({
      total_earned_cents: 9_100_000_000,
      total_earned_microcents: microcents,
      games: [inGame],
    });
    const { body: game } = await rich.get("/creator-revenue/rich").expect(200);
    expect(game).toMatchObject({ ...inGame, top_advertisers: [inGame] });
    expect(game.daily[0]).toMatchObject(inGame);
    const exact = { earned_microcents: microcents };
    const { body: advertisers } = await rich.get("/creator-revenue/rich/advertisers").expect(200);
    expect(advertisers).toMatchObject([exact]);
    const { body: days } = await rich.get("/earnings").expect(200);
    expect(days).toMatchObject({ total: exact, rows: [exact] });
    const { body: byAdvertiser } = await rich.get("/earnings/advertisers").expect(200);
    expect(byAdvertiser).toMatchObject({
      total: exact,
      rows: [{ ...exact, total_earned_microcents: microcents }],
    });
    const { body: traffic } = await rich.get("/traffic").expect(200);
    expect(traffic).toMatchObject({ games: [exact] });
  });
});

describe("GET /revenue", () => {
  it("shows the advertiser's totals; balance and spent make up the deposits", async () => {
    const [owner] = owners;
    const active = await world.draft(owner as Advertiser, { name: "Newer" });
    await owner?.post(`/campaigns/${active.campaignId}/activate`).expect(200);
    await owner?.get("/revenue").expect(200, {
      // 4 × 333 + 10 000 millicents: spent rounds up, the balance down.
      total_spent_cents: 12,
      total_spent_millicents: 11_332,
      total_impressions: 5,
      active_campaigns: 1,
      balance_cents: 988,
      campaigns: [
        {
          campaign_id: active.campaignId,
          name: "Newer",
          spent_cents: 0,
          spent_millicents: 0,
          impressions: 0,
          status: "active",
        },
        {
          campaign_id: campaigns[0]?.campaignId,
          name: "Campaign 0",
          spent_cents: 12,
          spent_millicents: 11_332,
          impressions: 5,
          status: "draft",
        },
      ],
    });
  });

  it("is for those who have registered", async () => {
    await developer.get("/revenue").expect(403, {
      detail: "This account has no advertiser profile: register first by POST /register.",
    });
  });
});
