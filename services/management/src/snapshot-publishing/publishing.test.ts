import { entityName, type SnapshotCampaign, type SnapshotPlacement } from "@diegetic/contracts";
import { SnapshotFollower } from "@diegetic/hot-state";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { eventually } from "../../../../tests/helpers/eventually.ts";
import {
  activeCampaign,
  type Caller,
  campaignBody,
  creativeBody,
  type Harness,
  startHarness,
} from "../testing/harness.ts";
import { charge, hold } from "../testing/spending.ts";

let harness: Harness;
let caller: Caller & { advertiserId: string };
/** What a match instance knows. */
const known = new Map<string, string>();
let follower: SnapshotFollower;
beforeAll(async () => {
  harness = await startHarness();
  follower = new SnapshotFollower(harness.redis, {
    instance: "match-test",
    onChanges: (changes) => {
      for (const { name, json } of changes) {
        if (json === null) known.delete(name);
        else known.set(name, json);
      }
    },
  });
  follower.start();
  await follower.waitUntilFresh(10_000);
  caller = await harness.advertiser(100_000);
}, 60_000);
afterAll(async () => {
  await follower.stop();
  await harness.stop();
});

function knownCampaign(campaignId: string): SnapshotCampaign {
  return JSON.parse(known.get(entityName.campaign(campaignId)) ?? "null");
}
function knownPlacement(gameId: string): SnapshotPlacement {
  return JSON.parse(known.get(entityName.placement(gameId)) ?? "null");
}

describe("a change that was answered", () => {
  it("is known to a match instance, without waiting", async () => {
    const { campaignId, creativeId } = await activeCampaign(caller);
    const path = `/campaigns/${campaignId}`;
    expect(knownCampaign(campaignId)).toMatchObject({
      status: "active",
      cpm_bid_cents: 500,
      creatives: [{ creative_id: creativeId, max_uses_per_game: 3 }],
    });
    await caller.patch(path, { cpm_bid_cents: 600, target_tags: ["a"] }).expect(200);
    expect(knownCampaign(campaignId)).toMatchObject({ cpm_bid_cents: 600, target_tags: ["a"] });
    await caller.patch(`/creatives/${creativeId}`, { max_uses_per_game: 7 }).expect(200);
    expect(knownCampaign(campaignId).creatives[0]?.max_uses_per_game).toBe(7);
    await caller.post(`${path}/pause`).expect(200);
    expect(knownCampaign(campaignId).status).toBe("paused");
    await caller.delete(`/creatives/${creativeId}`).expect(204);
    expect(knownCampaign(campaignId).creatives).toEqual([]);

    await caller.post("/placements/p", { creator_id: "c", placement_types: ["narrative_hook"] }).expect(201);
    expect(knownPlacement("p")).toMatchObject({
      is_active: true,
      revenue_share_basis_points: 7_000,
      account_id: caller.accountId,
    });
    await caller.delete("/placements/p").expect(204);
    expect(knownPlacement("p").is_active).toBe(false);
  });

  it("is in the advertiser's slot, too", async () => {
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
    expect(knownCampaign(campaignId)).toMatchObject({ version: row.version, cpm_bid_cents: row.cpmBidCents });
    expect(knownCampaign(campaignId).creatives).toHaveLength(7);
    expect(await harness.money.readCampaign(caller.advertiserId, campaignId)).toMatchObject({
      version: row.version,
    });
  });

  it("revokes a key in the snapshot", async () => {
    const other = await harness.caller();
    const { database, publishing } = harness.management;
    const row = await database.apiKey.findFirstOrThrow({ where: { accountId: other.accountId } });
    expect(known.has(entityName.apiKey(row.sha256))).toBe(true);
    await database.apiKey.update({
      where: { id: row.id },
      data: { revokedAt: new Date(), version: { increment: 1 } },
    });
    await publishing.obeyed("apiKey", row.id);
    expect(known.has(entityName.apiKey(row.sha256))).toBe(false);
  });
});

describe("the reconciling loop", () => {
  it("publishes what a crash between commit and publishing left behind", async () => {
    const { campaignId } = await activeCampaign(caller);
    const { database, reconciler } = harness.management;
    await caller
      .post("/placements/crashed", { creator_id: "c", placement_types: ["narrative_hook"] })
      .expect(201);
    const raise = { version: { increment: 1 } };
    await database.campaign.update({ where: { id: campaignId }, data: { status: "paused", ...raise } });
    await database.placement.update({ where: { gameId: "crashed" }, data: { isActive: false, ...raise } });
    await database.advertiser.update({
      where: { id: caller.advertiserId },
      data: { depositedMillicents: { increment: 5_000 }, ...raise },
    });
    const before = await harness.money.readAccount(caller.advertiserId);
    await reconciler.round();
    const row = await database.campaign.findUniqueOrThrow({ where: { id: campaignId } });
    expect(row.publishedVersion).toBe(row.version);
    expect(await harness.money.readCampaign(caller.advertiserId, campaignId)).toMatchObject({
      status: "paused",
    });
    expect(await harness.money.readAccount(caller.advertiserId)).toMatchObject({
      depositedMillicents: (before?.depositedMillicents ?? 0) + 5_000,
    });
    await eventually(
      () => knownCampaign(campaignId).status === "paused" && !knownPlacement("crashed").is_active,
    );
  });

  it("rebuilds everything after Redis has lost it, with what was spent", async () => {
    const owner = await harness.advertiser(10_000);
    const { campaignId, creativeId } = await activeCampaign(owner);
    const { database, reconciler } = harness.management;
    await database.advertiser.update({
      where: { id: owner.advertiserId },
      data: { spentMillicents: 1_500, impressions: 3 },
    });
    await database.campaign.update({
      where: { id: campaignId },
      data: { spentMillicents: 1_500, impressions: 3 },
    });
    const today = new Date(new Date().toISOString().slice(0, 10));
    await database.campaignRollup.create({
      data: {
        campaignId,
        day: today,
        creativeId,
        countryCode: "",
        gameId: "g",
        impressions: 2,
        spentMillicents: 1_000,
        affinityScoreSum: 0,
      },
    });
    await harness.redis.flushall();
    expect(await harness.money.readAccount(owner.advertiserId)).toBeNull();
    await reconciler.round();
    expect(await harness.money.readAccount(owner.advertiserId)).toMatchObject({
      depositedMillicents: 10_000_000,
      spentMillicents: 1_500,
      impressions: 3,
    });
    expect(await harness.money.readCampaign(owner.advertiserId, campaignId)).toMatchObject({
      status: "active",
      spentMillicents: 1_500,
      daySpentMillicents: 1_000,
      impressions: 3,
    });
    await eventually(() => follower.isFresh() && knownCampaign(campaignId).status === "active");
  }, 20_000);

  it("makes a slot anew that is missing although the snapshot is there", async () => {
    const owner = await harness.advertiser(10_000);
    const { campaignId } = await activeCampaign(owner);
    const keys = await harness.redis.keys(`{${owner.advertiserId}}:*`);
    await Promise.all(keys.map((key) => harness.redis.del(key)));
    await harness.management.reconciler.round();
    expect(await harness.money.readAccount(owner.advertiserId)).not.toBeNull();
    expect(await harness.money.readCampaign(owner.advertiserId, campaignId)).toMatchObject({
      status: "active",
    });
  });
});

describe("lowering a budget", () => {
  async function spendingCampaign(budgetCents: number) {
    const owner = await harness.advertiser(100_000);
    const { campaignId, creativeId } = await activeCampaign(owner, { budget_cents: budgetCents });
    const campaignVersion = knownCampaign(campaignId).version;
    const spending = {
      advertiserId: owner.advertiserId,
      campaignId,
      creativeId,
      campaignVersion,
      priceMillicents: 500,
    };
    return { owner, campaignId, spending };
  }
  const read = ({ advertiserId, campaignId }: { advertiserId: string; campaignId: string }) =>
    harness.money.readCampaign(advertiserId, campaignId);

  it("looks at what is spent in the slot, before Postgres knows of it", async () => {
    const { owner, campaignId, spending } = await spendingCampaign(10);
    for (let n = 0; n < 5; n++) {
      await hold(harness.money, spending);
      await charge(harness.money, spending);
    }
    const refused = await owner.patch(`/campaigns/${campaignId}`, { budget_cents: 2 }).expect(422);
    expect(refused.body.detail).toContain("spent_cents is 3");
    expect(await read(spending)).toMatchObject({ budgetMillicents: 10_000, ceilingMillicents: null });
    const lowered = await owner.patch(`/campaigns/${campaignId}`, { budget_cents: 3 }).expect(200);
    expect(lowered.body.budget_cents).toBe(3);
    expect(await read(spending)).toMatchObject({ budgetMillicents: 3_000, ceilingMillicents: null });
  }, 20_000);

  it("never lets a concurrent charge pass the budget that was answered", async () => {
    const { owner, campaignId, spending } = await spendingCampaign(30);
    for (let n = 0; n < 40; n++) expect((await hold(harness.money, spending)).outcome).toBe("held");
    const charging = Promise.all(Array.from({ length: 40 }, () => charge(harness.money, spending)));
    const lowering = Promise.all(
      [12, 8, 5, 3].map((budget) => owner.patch(`/campaigns/${campaignId}`, { budget_cents: budget })),
    );
    const [charges, answers] = await Promise.all([charging, lowering]);
    const slot = await read(spending);
    const row = await harness.management.database.campaign.findUniqueOrThrow({ where: { id: campaignId } });
    const charged = charges.filter(({ outcome }) => outcome === "charged").length;
    expect(slot?.spentMillicents).toBe(charged * 500);
    expect(slot?.spentMillicents).toBeLessThanOrEqual(row.budgetCents * 1_000);
    expect(slot).toMatchObject({ budgetMillicents: row.budgetCents * 1_000, ceilingMillicents: null });
    for (const answer of answers) expect([200, 422]).toContain(answer.status);
  }, 20_000);

  it("is undone by the loop when it stopped between the ceiling and the commit", async () => {
    const { campaignId, spending } = await spendingCampaign(10);
    const { database, reconciler } = harness.management;
    // The version is raised and committed first; then the ceiling is set; then the process dies.
    await database.campaign.update({ where: { id: campaignId }, data: { version: { increment: 1 } } });
    await harness.money.setBudgetCeiling(spending.advertiserId, campaignId, 1_000);
    expect(await read(spending)).toMatchObject({ ceilingMillicents: 1_000 });
    await reconciler.round();
    expect(await read(spending)).toMatchObject({ ceilingMillicents: null, budgetMillicents: 10_000 });
  });
});

describe("reads after writes", () => {
  it("wait for the billing worker, at most a second", async () => {
    const owner = await harness.advertiser(100);
    const { campaignId, creativeId } = await activeCampaign(owner);
    const campaignVersion = knownCampaign(campaignId).version;
    const spending = {
      advertiserId: owner.advertiserId,
      campaignId,
      creativeId,
      campaignVersion,
      priceMillicents: 500,
    };
    await hold(harness.money, spending);
    await charge(harness.money, spending);
    const { database } = harness.management;
    const totals = { impressions: { increment: 1 }, spentMillicents: { increment: 500 } };
    const answer = owner.get("/profile").then((profile) => profile);
    await database.campaign.update({ where: { id: campaignId }, data: totals });
    await database.advertiser.update({ where: { id: owner.advertiserId }, data: totals });
    expect((await answer).body.balance_cents).toBe(99);

    await hold(harness.money, spending);
    await charge(harness.money, spending);
    const late = await owner.get(`/campaigns/${campaignId}`).expect(200);
    expect(late.body.spent_cents).toBe(1);
  }, 20_000);
});

describe("an absent Redis", () => {
  it("is 503 with Retry-After after the commit, and made up for later", async () => {
    const draft = await caller.post("/campaigns", campaignBody).expect(201);
    const { management } = harness;
    const { publishing, reconciler, database } = management;
    // A replica refuses every write, as a node does that has lost its role.
    await database.campaign.update({
      where: { id: draft.body.id },
      data: { name: "renamed", version: { increment: 1 } },
    });
    await harness.redis.call("REPLICAOF", "127.0.0.1", "1");
    await expect(publishing.obeyed("campaign", draft.body.id)).rejects.toMatchObject({
      status: 503,
      headers: { "Retry-After": "2" },
    });
    const answer = await caller.post(`/campaigns/${draft.body.id}/creatives`, creativeBody);
    expect(answer.status).toBe(503);
    expect(answer.headers["retry-after"]).toBeDefined();
    await harness.redis.call("REPLICAOF", "NO", "ONE");
    await reconciler.round();
    const row = await database.campaign.findUniqueOrThrow({ where: { id: draft.body.id } });
    expect(row.publishedVersion).toBe(row.version);
  }, 30_000);
});
