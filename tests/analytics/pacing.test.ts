import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { hold } from "../../services/management/src/testing/spending.ts";
import { type Advertiser, AnalyticsWorld, DAY_MS, NOON_MS } from "./world.fixture.ts";

let world: AnalyticsWorld;
let owner: Advertiser;

beforeAll(async () => {
  world = await AnalyticsWorld.open();
  owner = await world.harness.advertiser(1_000);
});
afterAll(() => world.stop());

interface Drafted {
  campaignId: string;
  creativeId: string;
}

const pacing = async ({ campaignId }: Drafted) =>
  (await owner.get(`/campaigns/${campaignId}/analytics/pacing`).expect(200)).body;
const activate = ({ campaignId }: Drafted) => owner.post(`/campaigns/${campaignId}/activate`).expect(200);
const spend = (campaign: Drafted, priceMillicents: number, recordedAtMs: number) =>
  world.see({ ...campaign, gameId: "game", developerAccountId: "acct_dev", priceMillicents, recordedAtMs });

it("shows the pace of eleven days without dates and cap", async () => {
  const campaign = await world.draft(owner, { budget_cents: 10_000, cpm_bid_cents: 333 });
  world.nowMs = NOON_MS - 10 * DAY_MS;
  await activate(campaign);
  world.nowMs = NOON_MS;
  for (const day of [2, 0, 0, 0, 0]) await spend(campaign, 333, NOON_MS - day * DAY_MS);
  expect(await pacing(campaign)).toEqual({
    campaign_id: campaign.campaignId,
    budget_cents: 10_000,
    // 1 665 millicents in all, of which 1 332 today.
    spent_cents: 2,
    spent_millicents: 1_665,
    remaining_cents: 9_998,
    daily_cap_cents: null,
    today_spent_cents: 2,
    today_spent_millicents: 1_332,
    today_remaining_cents: 9_998,
    days_active: 11,
    avg_daily_spend_cents: 0,
    // 9 998 335 ÷ (1 665 ÷ 11) = 66 055.07 days.
    projected_exhaustion_date: "2207-09-29",
    days_remaining: 66_055,
    pacing_status: "on_pace",
    utilization_pct: 0.0167,
  });
});

it("says so when the campaign was never activated", async () => {
  const campaign = await world.draft(owner, { budget_cents: 3, daily_cap_cents: 2 });
  expect(await pacing(campaign)).toEqual({
    campaign_id: campaign.campaignId,
    budget_cents: 3,
    spent_cents: 0,
    spent_millicents: 0,
    remaining_cents: 3,
    daily_cap_cents: 2,
    today_spent_cents: 0,
    today_spent_millicents: 0,
    today_remaining_cents: 2,
    days_active: null,
    avg_daily_spend_cents: 0,
    projected_exhaustion_date: null,
    days_remaining: null,
    pacing_status: "not_started",
    utilization_pct: 0,
  });
});

it("goes through its states as the money is spent and the plan changes", async () => {
  const campaign = await world.draft(owner, { budget_cents: 4, cpm_bid_cents: 1_000, daily_cap_cents: 2 });
  await activate(campaign);
  const status = async () => (await pacing(campaign)).pacing_status;
  const change = (body: object) => owner.patch(`/campaigns/${campaign.campaignId}`, body).expect(200);
  expect(await status()).toBe("under_pacing");
  await spend(campaign, 1_000, NOON_MS);
  await spend(campaign, 1_000, NOON_MS);
  expect(await pacing(campaign)).toMatchObject({
    pacing_status: "capped_today",
    today_spent_cents: 2,
    today_remaining_cents: 0,
    avg_daily_spend_cents: 2,
    days_remaining: 1,
    projected_exhaustion_date: "2026-11-22",
    utilization_pct: 50,
  });
  await change({ daily_cap_cents: 4 });
  expect(await pacing(campaign)).toMatchObject({ pacing_status: "under_pacing", today_remaining_cents: 2 });
  await spend(campaign, 1_000, NOON_MS - DAY_MS);
  await change({ daily_cap_cents: null, start_date: "2026-11-20", end_date: "2026-11-21" });
  // 1.5 of 2 days are over: 3 of 4 cents are expected.
  expect(await status()).toBe("on_pace");
  await change({ end_date: "2026-11-29" });
  expect(await status()).toBe("over_pacing");
  await spend(campaign, 1_000, NOON_MS);
  expect(await pacing(campaign)).toMatchObject({
    pacing_status: "exhausted",
    remaining_cents: 0,
    utilization_pct: 100,
    days_remaining: 0,
    projected_exhaustion_date: "2026-11-21",
  });
  await change({ start_date: "2026-11-22", budget_cents: 9 });
  expect(await status()).toBe("not_started");
});

it("does not count what is only held", async () => {
  const campaign = await world.draft(owner, { budget_cents: 1, cpm_bid_cents: 1_000, daily_cap_cents: 1 });
  await activate(campaign);
  const { version } = await world.database.campaign.findUniqueOrThrow({ where: { id: campaign.campaignId } });
  const held = await hold(world.harness.money, {
    ...campaign,
    advertiserId: owner.advertiserId,
    campaignVersion: version,
    priceMillicents: 1_000,
  });
  expect(held).toMatchObject({ outcome: "held" });
  expect(await pacing(campaign)).toMatchObject({
    pacing_status: "under_pacing",
    spent_cents: 0,
    today_spent_cents: 0,
    today_remaining_cents: 1,
    remaining_cents: 1,
  });
});
