import { CampaignIndex } from "@diegetic/ad-rules";
import { newId } from "@diegetic/contracts";
import { createMoneyCommands, createSessionReader, type RedisConnection } from "@diegetic/hot-state";
import { openWallet } from "@diegetic/testing/open-wallet";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { OwnedScene } from "./money-totals.ts";
import { bestRivalRank } from "./rivals.ts";

let server: TestRedis;
let redis: RedisConnection;
beforeAll(async () => {
  server = await startTestRedis();
  redis = connectTestRedis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

const scene: OwnedScene = {
  placement: {
    account_id: "acct_developer",
    game_id: "game",
    is_active: true,
    placement_types: ["narrative_hook"],
    blocked_advertisers: [],
    blocked_categories: [],
  },
  context: {},
  geo: null,
  nowMs: Date.parse("2026-11-21T12:00:00Z"),
};
const session = { gameId: "game", sessionKey: "session", idleMs: 60_000 };

function campaignOf(advertiserId: string, bidCents: number) {
  return {
    campaign_id: newId("camp"),
    advertiser_id: advertiserId,
    version: 1,
    status: "active" as const,
    cpm_bid_cents: bidCents,
    priority: 5,
    start_date: null,
    end_date: null,
    target_categories: [],
    target_tags: [],
    creatives: [
      {
        creative_id: newId("crt"),
        creative_type: "narrative_hook" as const,
        brand_name: "Ember",
        product_name: null,
        tagline: null,
        narrative_hook: "It smells of Ember.",
        alt_hooks: [],
        tone: "neutral" as const,
        max_uses_per_game: 3,
      },
    ],
    geo_targets: [],
    blocklist: [],
    affinities: [],
  };
}

/** `count` campaigns of as many advertisers without money, bidding from 9000 downwards, and one that can pay 5000. */
async function market(count: number, advertisers: number) {
  const index = new CampaignIndex();
  const wallets = createMoneyCommands(redis);
  const poor = Array.from({ length: advertisers }, () => newId("adv"));
  for (let one = 0; one < count; one += 1) {
    index.upsert(campaignOf(poor[one % advertisers] ?? "", 9_000 - one));
  }
  const paying = campaignOf(newId("adv"), 5_000);
  index.upsert(paying);
  const { advertiser_id: advertiserId, campaign_id: campaignId } = paying;
  await openWallet(wallets, { advertiserId, version: 1, depositedMillicents: 1_000_000 });
  await wallets.applyCampaign({
    advertiserId,
    campaignId,
    version: 1,
    status: "active",
    budgetMillicents: 1_000_000,
    dailyCapMillicents: null,
    seed: { spentMillicents: 0, impressions: 0, day: "2026-01-01", daySpentMillicents: 0 },
  });
  return { index, wallets, sessions: createSessionReader(redis) };
}

describe("the best rival", () => {
  it.each([
    [63, 1],
    [63, 63],
  ])("is found behind %i campaigns of %i advertisers who cannot pay", async (count, advertisers) => {
    expect(await bestRivalRank(await market(count, advertisers), "camp_own", scene, session)).toBe(5_000);
  });

  it("is looked for among the 64 of highest rank alone; the next one bounds the rest", async () => {
    expect(await bestRivalRank(await market(64, 8), "camp_own", scene, session)).toBe(5_000);
    expect(await bestRivalRank(await market(200, 8), "camp_own", scene, session)).toBe(8_936);
  });

  it("is bounded by the first that the maximum leaves unread", async () => {
    const sources = await market(40, 3);
    expect(await bestRivalRank(sources, "camp_own", scene, session, 20)).toBe(8_980);
    expect(await bestRivalRank(sources, "camp_own", scene, session, 40)).toBe(5_000);
    expect(await bestRivalRank(sources, "camp_own", scene, session, 41)).toBe(5_000);
  });

  it.each([30, 64])("is null when none of %i other campaigns can serve", async (count) => {
    const index = new CampaignIndex();
    const own = campaignOf(newId("adv"), 5_000);
    index.upsert(own);
    for (let one = 0; one < count; one += 1) index.upsert(campaignOf(newId("adv"), 9_000));
    const sources = { index, wallets: createMoneyCommands(redis), sessions: createSessionReader(redis) };
    expect(await bestRivalRank(sources, own.campaign_id, scene, session)).toBeNull();
  });
});
