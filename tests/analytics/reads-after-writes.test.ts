import type { ImpressionRecord } from "@diegetic/contracts";
import { DueIndex } from "@diegetic/hot-state";
import { afterBilling } from "@diegetic/testing/api";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { Caller } from "../../services/management/src/testing/harness.ts";
import { charge, hold } from "../../services/management/src/testing/spending.ts";
import { type Advertiser, AnalyticsWorld } from "./world.fixture.ts";

const PRICE_MILLICENTS = 1_000;
let world: AnalyticsWorld;
let owner: Advertiser;
let developer: Caller;
let campaign: { campaignId: string; creativeId: string };

beforeAll(async () => {
  world = await AnalyticsWorld.open();
  // What is billed here is recorded by the clock of Redis.
  world.nowMs = Date.now();
  owner = await world.harness.advertiser(1_000);
  developer = await world.harness.caller();
  await developer
    .post("/placements/game", { creator_id: "c", placement_types: ["narrative_hook"] })
    .expect(201);
  campaign = await world.draft(owner, { cpm_bid_cents: PRICE_MILLICENTS });
  await owner.post(`/campaigns/${campaign.campaignId}/activate`).expect(200);
});
afterAll(() => world.stop());

/** An impression as the match tier commits it: in Redis alone. */
async function commit() {
  const { money, redis } = world.harness;
  const { version } = await world.database.campaign.findUniqueOrThrow({ where: { id: campaign.campaignId } });
  const { advertiserId } = owner;
  const spending = {
    ...campaign,
    advertiserId,
    campaignVersion: version,
    priceMillicents: PRICE_MILLICENTS,
    developerAccountId: developer.accountId,
  };
  expect(await hold(money, spending)).toMatchObject({ outcome: "held" });
  await new DueIndex(redis).register("outbox", advertiserId, Date.now() + 5_000);
  const charged = await charge(money, spending);
  if (charged.outcome !== "charged" || charged.replay) throw new Error("not charged now");
  return charged.record;
}

/** How many impressions each answer knows of. */
const counts: Record<string, () => Promise<number>> = {
  stats: async () => (await ofCampaign("stats")).impressions,
  daily: async () => sum((await ofCampaign("analytics/daily")).days),
  creatives: async () => sum((await ofCampaign("analytics/creatives")).creatives),
  geo: async () => sum((await ofCampaign("analytics/geo")).countries),
  pacing: async () => (await ofCampaign("analytics/pacing")).spent_cents,
  revenue: async () => (await owner.get("/revenue").expect(200)).body.total_impressions,
  "creator revenue": async () => (await developer.get("/creator-revenue").expect(200)).body.total_impressions,
  "game revenue": async () => (await developer.get("/creator-revenue/game").expect(200)).body.impressions,
};
const ofCampaign = async (path: string) =>
  (await owner.get(`/campaigns/${campaign.campaignId}/${path}`).expect(200)).body;
const sum = (rows: { impressions: number }[]) =>
  rows.reduce((total, { impressions }) => total + impressions, 0);

it("shows every impression that was committed before the request, though billing writes it later", async () => {
  let committed = 0;
  for (let round = 1; round <= 5; round++) {
    let record: ImpressionRecord;
    const readWhileBilling = async () => {
      const answers = Promise.all(Object.entries(counts).map(async ([name, count]) => [name, await count()]));
      await world.bill([record]);
      return answers;
    };
    const answers = await afterBilling(readWhileBilling, async () => {
      record = await commit();
      committed += 1;
    });
    expect(answers).toEqual(Object.keys(counts).map((name) => [name, committed]));
  }
});

it("answers with what is there when billing does not come within a second", async () => {
  const before = await counts.stats?.();
  const record = await commit();
  const startedMs = performance.now();
  expect(await counts.stats?.()).toBe(before);
  expect(performance.now() - startedMs).toBeGreaterThan(900);
  await world.bill([record]);
  expect(await counts.stats?.()).toBe((before ?? 0) + 1);
});
