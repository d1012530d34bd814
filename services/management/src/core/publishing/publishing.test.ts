import { entityName } from "@diegetic/contracts";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  activeCampaign,
  type Caller,
  creativeBody,
  type Harness,
  startHarness,
} from "../../testing/harness.ts";
import { KnownSnapshot } from "../../testing/known-snapshot.ts";

let harness: Harness;
let caller: Caller & { advertiserId: string };
let known: KnownSnapshot;
beforeAll(async () => {
  harness = await startHarness();
  known = await KnownSnapshot.follow(harness.redis);
  caller = await harness.advertiser(100_000);
});
afterAll(async () => {
  await known.follower.stop();
  await harness.stop();
});

describe("a change that was answered", () => {
  it("is known to a match instance, without waiting", async () => {
    const { campaignId, creativeId } = await activeCampaign(caller);
    const path = `/campaigns/${campaignId}`;
    expect(await known.campaign(campaignId)).toMatchObject({
      status: "active",
      cpm_bid_cents: 500,
      creatives: [{ creative_id: creativeId, max_uses_per_game: 3 }],
    });
    await caller.patch(path, { cpm_bid_cents: 600, target_tags: ["a"] }).expect(200);
    expect(await known.campaign(campaignId)).toMatchObject({ cpm_bid_cents: 600, target_tags: ["a"] });
    await caller.patch(`/creatives/${creativeId}`, { max_uses_per_game: 7 }).expect(200);
    expect((await known.campaign(campaignId)).creatives[0]?.max_uses_per_game).toBe(7);
    await caller.post(`${path}/pause`).expect(200);
    expect((await known.campaign(campaignId)).status).toBe("paused");
    await caller.delete(`/creatives/${creativeId}`).expect(204);
    expect((await known.campaign(campaignId)).creatives).toEqual([]);

    await caller.post("/placements/p", { creator_id: "c", placement_types: ["narrative_hook"] }).expect(201);
    expect(await known.placement("p")).toMatchObject({
      is_active: true,
      revenue_share_basis_points: 7_000,
      account_id: caller.accountId,
    });
    await caller.delete("/placements/p").expect(204);
    expect((await known.placement("p")).is_active).toBe(false);
  });

  it("shows texts and targets of active campaigns alone, and of the others their ids", async () => {
    const { campaignId, creativeId } = await activeCampaign(caller);
    const path = `/campaigns/${campaignId}`;
    await caller.patch(path, { target_tags: ["a"] }).expect(200);
    await caller.post(`${path}/blocklist`, { rule_type: "theme", value: "war" }).expect(201);
    const whole = { target_tags: ["a"], creatives: [creativeBody], blocklist: [{ value: "war" }] };
    expect(await known.campaign(campaignId)).toMatchObject(whole);
    await caller.post(`${path}/pause`).expect(200);
    expect(await known.campaign(campaignId)).toMatchObject({
      advertiser_id: caller.advertiserId,
      target_tags: [],
      creatives: [{ creative_id: creativeId, brand_name: "", narrative_hook: null }],
      blocklist: [],
    });
    await caller.post(`${path}/activate`).expect(200);
    expect(await known.campaign(campaignId)).toMatchObject(whole);
  });

  it("is in the advertiser's wallet, too", async () => {
    const { campaignId } = await activeCampaign(caller, { daily_cap_cents: 300 });
    const read = () => harness.money.readCampaign(caller.advertiserId, campaignId);
    expect(await read()).toMatchObject({ budgetMillicents: 10_000_000, dailyCapMillicents: 300_000 });
    await caller
      .patch(`/campaigns/${campaignId}`, { budget_cents: 20_000, daily_cap_cents: null })
      .expect(200);
    expect(await read()).toMatchObject({ budgetMillicents: 20_000_000, dailyCapMillicents: null });
  });

  it("converges, whatever order requests at the same time publish in", async () => {
    const { campaignId } = await activeCampaign(caller);
    const path = `/campaigns/${campaignId}`;
    const answers = await Promise.all([
      ...Array.from({ length: 6 }, (_, n) => caller.patch(path, { cpm_bid_cents: 1_000 + n })),
      ...Array.from({ length: 6 }, () => caller.post(`${path}/creatives`, creativeBody)),
    ]);
    for (const answer of answers) expect([200, 201]).toContain(answer.status);
    const row = await harness.management.database.campaign.findUniqueOrThrow({ where: { id: campaignId } });
    expect(row.publishedVersion).toBe(row.version);
    expect(await known.campaign(campaignId)).toMatchObject({
      version: row.version,
      cpm_bid_cents: row.cpmBidCents,
    });
    expect((await known.campaign(campaignId)).creatives).toHaveLength(7);
    expect(await harness.money.readCampaign(caller.advertiserId, campaignId)).toMatchObject({
      version: row.version,
    });
  });

  it("revokes a key in the snapshot", async () => {
    const other = await harness.caller();
    const { database, publishing } = harness.management;
    const row = await database.apiKey.findFirstOrThrow({ where: { accountId: other.accountId } });
    expect(await known.has(entityName.apiKey(row.sha256))).toBe(true);
    await database.apiKey.update({
      where: { id: row.id },
      data: { revokedAt: new Date(), version: { increment: 1 } },
    });
    await publishing.publishAndWait("apiKey", row.id);
    expect(await known.has(entityName.apiKey(row.sha256))).toBe(false);
  });
});
