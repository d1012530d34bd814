import { readFile } from "node:fs/promises";
import { MAX_ACCOUNT_BYTES, MAX_CAMPAIGN_BYTES, MAX_CREATIVE_TEXT_BYTES } from "@diegetic/contracts";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  type Caller,
  campaignBody,
  creativeBody,
  type Harness,
  startHarness,
} from "../../testing/harness.ts";

const MIGRATION = new URL(
  "../../../../../prisma/migrations/20261122002000_published_sizes/migration.sql",
  import.meta.url,
);

let harness: Harness;
let caller: Caller & { advertiserId: string };
beforeAll(async () => {
  harness = await startHarness();
});
beforeAll(async () => {
  caller = await harness.advertiser(1_000);
});
afterAll(() => harness.stop());

async function newCampaign(by: Caller = caller): Promise<string> {
  return (await by.post("/campaigns", campaignBody).expect(201)).body.id;
}

/** A creative with this many bytes of text. */
function creativeOf(bytes: number) {
  const hooks = bytes - creativeBody.brand_name.length;
  const [longest, rest] = [Math.floor(hooks / 2_000), hooks % 2_000];
  const [narrative_hook, ...alt_hooks] = [
    ...Array.from({ length: longest }, () => "h".repeat(2_000)),
    ...(rest > 0 ? ["h".repeat(rest)] : []),
  ];
  return { ...creativeBody, narrative_hook, alt_hooks };
}

const account = (by: Caller) =>
  harness.management.database.account.findUniqueOrThrow({ where: { id: by.accountId } });

/** The account's stored size must be the sum of its rows, each as large as what was published for it. */
async function expectExactSizes(by: Caller & { advertiserId: string }): Promise<void> {
  const { database } = harness.management;
  const campaigns = await database.campaign.findMany({ where: { advertiserId: by.advertiserId } });
  const placements = await database.placement.findMany({ where: { accountId: by.accountId } });
  const sizes = [...campaigns, ...placements].map(({ publishedBytes }) => publishedBytes);
  expect(Number((await account(by)).publishedBytes)).toBe(sizes.reduce((sum, bytes) => sum + bytes, 0));
}

async function setAccountSize(by: Caller, bytes: number): Promise<void> {
  await harness.management.database.account.update({
    where: { id: by.accountId },
    data: { publishedBytes: bytes },
  });
}

describe("the texts of a creative", () => {
  it("have at most 16 KiB together, counted in UTF-8", async () => {
    const path = `/campaigns/${await newCampaign()}/creatives`;
    const fits = await caller.post(path, creativeOf(MAX_CREATIVE_TEXT_BYTES)).expect(201);
    const refused = await caller.post(path, creativeOf(MAX_CREATIVE_TEXT_BYTES + 1)).expect(422);
    expect(refused.body.detail).toContain("16384 bytes");
    // Half as many characters as allowed bytes, three bytes each.
    await caller.post(path, { ...creativeBody, alt_hooks: Array(5).fill("€".repeat(1_500)) }).expect(422);

    const creative = `/creatives/${fits.body.id}`;
    expect((await caller.patch(creative, { tagline: "x" }).expect(422)).body.detail).toContain("16384 bytes");
    await caller.patch(creative, { brand_name: "E", tagline: "x" }).expect(200);
  });

  it("that were over the limit before it may stay or shrink, but not grow", async () => {
    const campaignId = await newCampaign();
    const { body } = await caller.post(`/campaigns/${campaignId}/creatives`, creativeBody).expect(201);
    await harness.management.database.creative.update({
      where: { id: body.id },
      data: { altHooks: Array(30).fill("h".repeat(2_000)) },
    });
    await caller.patch(`/creatives/${body.id}`, { max_uses_per_game: 20, tone: "dramatic" }).expect(200);
    await caller.patch(`/creatives/${body.id}`, { tagline: "x" }).expect(422);
    await caller.patch(`/creatives/${body.id}`, { alt_hooks: Array(20).fill("h".repeat(2_000)) }).expect(200);
    await caller.patch(`/campaigns/${campaignId}`, { cpm_bid_cents: 10_000, name: "Larger" }).expect(200);
  });
});

describe("a campaign as published", () => {
  it("has at most 256 KiB, also when parts are added at the same time", async () => {
    const campaignId = await newCampaign();
    const path = `/campaigns/${campaignId}/creatives`;
    const large = creativeOf(MAX_CREATIVE_TEXT_BYTES);
    for (let n = 0; n < 12; n += 1) await caller.post(path, large).expect(201);
    const answers = await Promise.all(Array.from({ length: 8 }, () => caller.post(path, large)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, body }) => [status, body.detail])).toEqual(
      Array(5).fill([422, expect.stringContaining(`${MAX_CAMPAIGN_BYTES} bytes`)]),
    );
    await expectExactSizes(caller);
  });

  it("has at most 256 KiB, also when a text becomes longer only as published", async () => {
    const campaignId = await newCampaign();
    const fitting = Array.from({ length: 15 }, () =>
      caller.post(`/campaigns/${campaignId}/creatives`, creativeOf(MAX_CREATIVE_TEXT_BYTES)).expect(201),
    );
    const [first] = await Promise.all(fitting);
    // As many characters and bytes as before, but JSON writes two for each.
    const quotes = { narrative_hook: '"'.repeat(2_000) };
    const refused = await Promise.all(
      fitting.map(async (one) => caller.patch(`/creatives/${(await one).body.id}`, quotes)),
    );
    const last = refused.find(({ status }) => status === 422);
    expect(last?.body.detail).toContain(`${MAX_CAMPAIGN_BYTES} bytes`);
    const { publishedBytes } = await harness.management.database.campaign.findUniqueOrThrow({
      where: { id: campaignId },
    });
    expect(publishedBytes).toBeLessThanOrEqual(MAX_CAMPAIGN_BYTES);
    await caller.patch(`/creatives/${first?.body.id}`, { narrative_hook: "h" }).expect(200);
    await expectExactSizes(caller);
  });

  it("has at most 256 KiB, also as its texts are compared", async () => {
    // Three bytes in UTF-8, 18 letters in NFKC, which match instances compare.
    const ligatures = "\ufdfa".repeat(200);
    const rules = (count: number) => Array(count).fill({ rule_type: "keyword", value: ligatures });
    const campaigns = [39, 40].map((count) => ({ ...campaignBody, blocklist: rules(count) }));
    const { body } = await caller.post("/campaigns/bulk", { campaigns }).expect(200);
    expect(body.results).toEqual([
      expect.objectContaining({ status: 201 }),
      { status: 422, error: expect.stringContaining(`${MAX_CAMPAIGN_BYTES} bytes`) },
    ]);
    await expectExactSizes(caller);
  });

  it("has at most 256 KiB, also when its dates are set", async () => {
    const campaignId = await newCampaign();
    const path = `/campaigns/${campaignId}`;
    const left = async () => {
      const where = { id: campaignId };
      const { publishedBytes } = await harness.management.database.campaign.findUniqueOrThrow({ where });
      return MAX_CAMPAIGN_BYTES - publishedBytes;
    };
    const add = async (bytes: number) =>
      (await caller.post(`${path}/creatives`, creativeOf(bytes)).expect(201)).body.id;
    for (let n = 0; n < 15; n += 1) await add(MAX_CREATIVE_TEXT_BYTES);
    const last = await add((await left()) - 1_500);
    // null becomes a text in quotes; this leaves ten bytes, and a date takes eight.
    await caller.patch(`/creatives/${last}`, { tagline: "x".repeat((await left()) - 8) }).expect(200);
    expect(await left()).toBe(10);
    await caller.patch(path, { start_date: "2026-11-21" }).expect(200);
    expect(await left()).toBe(2);
    const refused = await caller.patch(path, { end_date: "2026-12-21" }).expect(422);
    expect(refused.body.detail).toContain(`${MAX_CAMPAIGN_BYTES} bytes`);
    await caller.patch(path, { start_date: null }).expect(200);
    await caller.patch(path, { end_date: "2026-12-21" }).expect(200);
    await expectExactSizes(caller);
  });

  it("counts targets, blocklist and affinities, and has room again after a deletion", async () => {
    const campaignId = await newCampaign();
    const path = `/campaigns/${campaignId}`;
    const texts = (count: number) => Array.from({ length: count }, (_, n) => `${n}${"€".repeat(190)}`);
    for (let n = 0; n < 14; n += 1) {
      await caller.post(`${path}/creatives`, creativeOf(MAX_CREATIVE_TEXT_BYTES)).expect(201);
    }
    await caller.patch(path, { target_tags: texts(100) }).expect(422);
    await caller
      .put(`${path}/affinities/bulk`, {
        affinities: texts(50).map((value) => ({ affinity_type: "mood", affinity_value: value })),
      })
      .expect(422);
    await caller.patch(path, { target_tags: texts(30) }).expect(200);
    const rules = texts(40).map((value) => ({ rule_type: "theme", value }));
    let refusals = 0;
    for (const rule of rules) {
      const { status } = await caller.post(`${path}/blocklist`, rule);
      if (status === 422) refusals += 1;
    }
    expect(refusals).toBeGreaterThan(0);
    const [first] = (await caller.get(`${path}/creatives`).expect(200)).body;
    await caller.delete(`/creatives/${first.id}`).expect(204);
    await caller.post(`${path}/blocklist`, rules[0]).expect(201);
    await expectExactSizes(caller);
  });

  it("that was over the limit before it goes on serving and may shrink", async () => {
    const campaignId = await newCampaign();
    const path = `/campaigns/${campaignId}`;
    const { body } = await caller.post(`${path}/creatives`, creativeBody).expect(201);
    await harness.management.database.$executeRaw`
      INSERT INTO creatives (id, campaign_id, creative_type, brand_name, alt_hooks)
      SELECT 'crt_' || lpad(n::text, 26, '0'), ${campaignId}, 'product_mention', 'Large', ARRAY[repeat('h', 15000)]
      FROM generate_series(1, 40) AS n`;
    await caller.patch(path, { cpm_bid_cents: 10_000, priority: 10 }).expect(200);
    await caller.post(`${path}/activate`).expect(200);
    await caller.post(`${path}/pause`).expect(200);
    await caller.patch(`/creatives/${body.id}`, { max_uses_per_game: 20 }).expect(200);
    await caller.post(`${path}/creatives`, creativeBody).expect(422);
    await caller.delete(`/creatives/${body.id}`).expect(204);
    await expectExactSizes(caller);
  });
});

describe("the migration", () => {
  it("measures what there is as changes measure it", async () => {
    const owner = await harness.advertiser();
    const campaignId = await newCampaign(owner);
    const path = `/campaigns/${campaignId}`;
    const strange = 'Quotes " and \\ back, ünï, 日本, 👩‍🚀, tab\t, line\n, bell\u0007.';
    await owner.patch(path, { target_tags: [strange, "b"], start_date: "2026-01-01" }).expect(200);
    await owner
      .post(`${path}/creatives`, { ...creativeBody, tagline: strange, alt_hooks: ["a"] })
      .expect(201);
    await owner.post(`${path}/creatives`, creativeBody).expect(201);
    const circle = { target_type: "radius", lat: 52.52, lng: -13.405, radius_km: 12.5, include: false };
    await owner.post(`${path}/geo-targets`, circle).expect(201);
    await owner.post(`${path}/blocklist`, { rule_type: "keyword", value: strange }).expect(201);
    const affinity = { affinity_type: "mood", affinity_value: strange, weight: 0.1 };
    await owner.post(`${path}/affinities`, affinity).expect(201);
    const placement = { creator_id: "s", placement_types: ["narrative_hook"], blocked_categories: [strange] };
    await owner.post(`/placements/measured-${owner.accountId}`, placement).expect(201);

    const { database } = harness.management;
    const sizes = async () => [
      (await database.campaign.findUniqueOrThrow({ where: { id: campaignId } })).publishedBytes,
      (await database.placement.findFirstOrThrow({ where: { accountId: owner.accountId } })).publishedBytes,
      Number((await account(owner)).publishedBytes),
    ];
    const stored = await sizes();
    const sql = await readFile(MIGRATION, "utf8");
    const updates = sql.split(";").filter((statement) => statement.includes("UPDATE "));
    expect(updates).toHaveLength(3);
    for (const update of updates) await database.$executeRawUnsafe(update);
    expect(await sizes()).toEqual(stored);
  });
});

describe("an account as published", () => {
  it("has at most 64 MiB, also when campaigns and games grow at the same time", async () => {
    const owner = await harness.advertiser();
    const campaigns = await Promise.all([1, 2, 3].map(() => newCampaign(owner)));
    // Room for two creatives of 10 000 bytes and what stands around their texts, not for three.
    await setAccountSize(owner, MAX_ACCOUNT_BYTES - 25_000);
    const answers = await Promise.all(
      campaigns.map((id) => owner.post(`/campaigns/${id}/creatives`, creativeOf(10_000))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 422]);
    expect(answers.find(({ status }) => status === 422)?.body.detail).toContain(`${MAX_ACCOUNT_BYTES} bytes`);
  });

  it("that is full creates nothing, but may change and shrink what it has", async () => {
    const owner = await harness.advertiser(1_000);
    const campaignId = await newCampaign(owner);
    const creative = await owner.post(`/campaigns/${campaignId}/creatives`, creativeOf(1_000)).expect(201);
    const placement = {
      creator_id: "s",
      placement_types: ["narrative_hook"],
      blocked_categories: ["a", "b"],
    };
    const game = `/placements/full-${owner.accountId}`;
    await owner.post(game, placement).expect(201);
    await setAccountSize(owner, MAX_ACCOUNT_BYTES);

    expect((await owner.post("/campaigns", campaignBody).expect(422)).body.detail).toContain("64 MiB");
    await owner.post(`/placements/new-${owner.accountId}`, placement).expect(422);
    await owner.patch(game, { blocked_categories: ["a", "b", "c"] }).expect(422);
    await owner.post(game, { ...placement, blocked_categories: ["a", "b", "c"] }).expect(422);
    await owner
      .post(`/campaigns/${campaignId}/affinities`, {
        affinity_type: "mood",
        affinity_value: "calm",
      })
      .expect(422);

    await owner.post(game, { ...placement, max_ads_per_session: 50 }).expect(201);
    await owner.patch(game, { revenue_share_pct: 100 }).expect(200);
    await owner.post(`/campaigns/${campaignId}/activate`).expect(200);
    await owner.patch(`/campaigns/${campaignId}`, { cpm_bid_cents: 10_000 }).expect(200);
    await owner.patch(`/creatives/${creative.body.id}`, { narrative_hook: "Short." }).expect(200);
    expect(Number((await account(owner)).publishedBytes)).toBeLessThan(MAX_ACCOUNT_BYTES);
  });

  it("has at most 10 000 placements, also when games are enabled at the same time", async () => {
    const owner = await harness.caller();
    const placement = { creator_id: "s", placement_types: ["narrative_hook"] };
    await harness.management.database.$executeRaw`
      INSERT INTO placements (game_id, account_id, creator_id, placement_types, published_version)
      SELECT ${`${owner.accountId}-`} || n, ${owner.accountId}, 's', ARRAY['narrative_hook']::creative_type[], 1
      FROM generate_series(1, 9998) AS n`;
    const answers = await Promise.all(
      ["a", "b", "c", "d"].map((name) => owner.post(`/placements/${owner.accountId}-${name}`, placement)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422]);
    expect(answers.find(({ status }) => status === 422)?.body.detail).toContain("at most 10000 placements");
    await owner.post(`/placements/${owner.accountId}-1`, placement).expect(201);
    await owner.patch(`/placements/${owner.accountId}-2`, { max_ads_per_session: 3 }).expect(200);
  });
});
