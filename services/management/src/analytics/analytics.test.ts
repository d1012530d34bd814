import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  activeCampaign,
  type Caller,
  campaignBody,
  creativeBody,
  type Harness,
  startHarness,
} from "../testing/harness.ts";
import { writeImpressions } from "../testing/spending.ts";

let harness: Harness;
let owner: Caller & { advertiserId: string };
let developer: Caller;
let campaignId: string;
let creativeIds: string[];
beforeAll(async () => {
  harness = await startHarness();
  owner = await harness.advertiser(1_000);
  developer = await harness.caller();
  for (const game of ["game-a", "game-b", "game-c"]) {
    const body = { creator_id: "c", placement_types: ["narrative_hook"], revenue_share_pct: 33.33 };
    await developer.post(`/placements/${game}`, body).expect(201);
  }
  const first = await activeCampaign(owner, { cpm_bid_cents: 333 });
  campaignId = first.campaignId;
  const second = await owner.post(`/campaigns/${campaignId}/creatives`, creativeBody).expect(201);
  creativeIds = [first.creativeId, second.body.id];
  const facts = {
    advertiserId: owner.advertiserId,
    accountId: developer.accountId,
    campaignId,
    priceMillicents: 333,
  };
  const { database } = harness.management;
  await writeImpressions(database, {
    ...facts,
    creativeId: creativeIds[1] ?? "",
    gameId: "game-b",
    impressions: 2,
    affinityScore: 1.5,
    users: ["a", "b"],
    earningMicrocents: 1_999_999n,
  });
  await writeImpressions(database, {
    ...facts,
    creativeId: creativeIds[0] ?? "",
    gameId: "game-a",
    impressions: 2,
    affinityScore: 0,
    users: ["c"],
    earningMicrocents: 1n,
    day: "2026-11-01",
  });
}, 60_000);
afterAll(() => harness.stop());

describe("GET /campaigns/{id}/stats", () => {
  it("sums up what billing has written", async () => {
    await owner.get(`/campaigns/${campaignId}/stats`).expect(200, {
      campaign_id: campaignId,
      impressions: 4,
      unique_users: 3,
      unique_games: 2,
      spent_cents: 2,
      budget_cents: 10_000,
      effective_cpm_cents: 333,
      avg_affinity_score: 0.75,
      // Equal impressions: the smaller identifier.
      top_creative_id: creativeIds[0],
      top_game_id: "game-a",
    });
  });

  it("has zeros and nulls without impressions", async () => {
    const { body } = await owner.post("/campaigns", campaignBody).expect(201);
    const stats = await owner.get(`/campaigns/${body.id}/stats`).expect(200);
    expect(stats.body).toMatchObject({
      impressions: 0,
      unique_users: 0,
      unique_games: 0,
      effective_cpm_cents: 0,
      avg_affinity_score: 0,
      top_creative_id: null,
      top_game_id: null,
    });
    await owner.patch(`/campaigns/${body.id}/stats`, {}).expect(405);
  });

  it("counts in the group of analytics", async () => {
    const limited = await harness.caller({ rateLimitPerMinute: 1 });
    await limited.get("/revenue").expect(403);
    const answer = await limited.get(`/campaigns/${campaignId}/stats`).expect(429);
    expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
    await limited.get("/profile").expect(404);
  });
});

describe("revenue", () => {
  it("shows the advertiser's totals; balance and spent make up the deposits", async () => {
    const { body } = await owner.get("/revenue").expect(200);
    expect(body).toMatchObject({
      total_spent_cents: 2,
      total_impressions: 4,
      active_campaigns: 1,
      balance_cents: 998,
    });
    expect(body.campaigns[1]).toEqual({
      campaign_id: campaignId,
      name: campaignBody.name,
      spent_cents: 2,
      impressions: 4,
      status: "active",
    });
  });

  it("shows the developer's games, most impressions first, earned rounded down", async () => {
    const { body } = await developer.get("/creator-revenue").expect(200);
    const game = (id: string, impressions: number, earned: number) => ({
      game_id: id,
      earned_cents: earned,
      impressions,
      revenue_share_pct: 33.33,
    });
    expect(body).toEqual({
      total_earned_cents: 2,
      total_impressions: 4,
      games_count: 3,
      games: [game("game-a", 2, 0), game("game-b", 2, 1), game("game-c", 0, 0)],
    });
    await owner.get("/creator-revenue").expect(200, {
      total_earned_cents: 0,
      total_impressions: 0,
      games_count: 0,
      games: [],
    });
  });

  it("shows one game with its advertisers and the last 30 days", async () => {
    const { body } = await developer.get("/creator-revenue/game-b").expect(200);
    expect(body).toMatchObject({
      game_id: "game-b",
      earned_cents: 1,
      impressions: 2,
      revenue_share_pct: 33.33,
    });
    expect(body.top_advertisers).toEqual([
      { advertiser_id: owner.advertiserId, impressions: 2, earned_cents: 1 },
    ]);
    expect(body.daily).toHaveLength(30);
    expect(body.daily[0]).toEqual({
      date: new Date().toISOString().slice(0, 10),
      impressions: 2,
      earned_cents: 1,
    });
    expect(body.daily[29].impressions).toBe(0);
    await developer.get("/creator-revenue/nothing").expect(404);
    await owner.get("/creator-revenue/game-b").expect(403);
  });
});
