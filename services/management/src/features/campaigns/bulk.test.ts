import { setTimeout as sleep } from "node:timers/promises";
import { campaignsApi, MAX_ACCOUNT_BYTES, MAX_CAMPAIGNS } from "@diegetic/contracts";
import { afterBilling } from "@diegetic/testing/api";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  activeCampaign,
  type Caller,
  campaignBody,
  creativeBody,
  type Harness,
  startHarness,
} from "../../testing/harness.ts";
import { charge, hold } from "../../testing/spending.ts";

let harness: Harness;
let caller: Caller & { advertiserId: string };
beforeAll(async () => {
  harness = await startHarness();
});
beforeAll(async () => {
  caller = await harness.advertiser(1_000);
});
afterAll(() => harness.stop());

const whole = {
  ...campaignBody,
  target_tags: ["tavern"],
  creatives: [creativeBody, { creative_type: "product_mention", brand_name: "Ember" }],
  geo_targets: [
    { target_type: "country", country_code: "de" },
    { target_type: "radius", lat: 52.5, lng: 13.4, radius_km: 10, include: false },
  ],
  blocklist: [{ rule_type: "keyword", value: "storm" }],
  affinities: [
    { affinity_type: "mood", affinity_value: "calm", weight: 1.5 },
    { affinity_type: "theme", affinity_value: "war" },
  ],
};

const bulk = (by: Caller, campaigns: unknown[]) => by.post("/campaigns/bulk", { campaigns });
const campaignsOf = (by: { advertiserId: string }) =>
  harness.management.database.campaign.findMany({ where: { advertiserId: by.advertiserId } });

describe("a bulk request", () => {
  it("answers the example of the API document as documented", async () => {
    const { request, success } = campaignsApi.operations.createMany;
    const documented = success[0]?.example as { results: { campaign?: object; error?: string }[] };
    const { body } = await caller.post("/campaigns/bulk", request?.example as object).expect(200);
    const issued = { id: expect.any(String), created_at: expect.any(String) };
    const expected = documented.results.map(({ campaign, ...result }) =>
      campaign === undefined ? result : { ...result, campaign: { ...campaign, ...issued } },
    );
    expect(body.results).toEqual(expected);
  });

  it("creates campaigns with all that belongs to them, as single calls would", async () => {
    const { body } = await bulk(caller, [whole, campaignBody]).expect(200);
    expect(body.results).toEqual([
      { status: 201, campaign: expect.objectContaining({ status: "draft", target_tags: ["tavern"] }) },
      { status: 201, campaign: expect.objectContaining(campaignBody) },
    ]);
    const [first, second] = body.results.map(({ campaign }: { campaign: object }) => campaign);
    await caller.get(`/campaigns/${first.id}`).expect(200, first);
    const read = async (part: string) =>
      (await caller.get(`/campaigns/${first.id}/${part}`).expect(200)).body;
    expect(await read("creatives")).toMatchObject(whole.creatives);
    expect(await read("geo-targets")).toMatchObject([
      { country_code: "DE", include: true },
      { radius_km: 10, include: false },
    ]);
    expect(await read("blocklist")).toMatchObject(whole.blocklist);
    expect(await read("affinities")).toMatchObject([
      { affinity_value: "calm", weight: 1.5 },
      { affinity_value: "war", weight: 1 },
    ]);
    await caller.post(`/campaigns/${first.id}/activate`).expect(200);
    await caller.post(`/campaigns/${second.id}/activate`).expect(409);
  });

  it("measures what it creates as single calls do", async () => {
    const [inBulk, one] = [await harness.advertiser(), await harness.advertiser()];
    await bulk(inBulk, [whole]).expect(200);
    const { body } = await one
      .post("/campaigns", { ...campaignBody, target_tags: whole.target_tags })
      .expect(201);
    for (const [part, list] of [
      ["creatives", whole.creatives],
      ["geo-targets", whole.geo_targets],
      ["blocklist", whole.blocklist],
      ["affinities", whole.affinities],
    ] as const) {
      for (const value of list) await one.post(`/campaigns/${body.id}/${part}`, value).expect(201);
    }
    const sizes = async (by: Caller & { advertiserId: string }) => {
      const [campaign] = await campaignsOf(by);
      const account = await harness.management.database.account.findUniqueOrThrow({
        where: { id: by.accountId },
      });
      return [campaign?.publishedBytes, Number(account.publishedBytes)];
    };
    expect(await sizes(inBulk)).toEqual(await sizes(one));
  });

  it("publishes what it has created", async () => {
    const owner = await harness.advertiser();
    await bulk(owner, Array(250).fill({ ...campaignBody, creatives: [creativeBody] })).expect(200);
    const campaigns = await campaignsOf(owner);
    expect(campaigns.filter(({ version, publishedVersion }) => version === publishedVersion)).toHaveLength(
      250,
    );
    for (const { id } of campaigns.slice(0, 3)) {
      expect(await harness.money.readCampaign(owner.advertiserId, id)).toMatchObject({ status: "draft" });
    }
  });

  it.each<[string, object, number, string]>([
    ["no bid", { cpm_bid_cents: undefined }, 400, "cpm_bid_cents is required"],
    ["a low bid", { cpm_bid_cents: 99 }, 422, "cpm_bid_cents must be"],
    ["a flight that ends first", { start_date: "2026-12-02", end_date: "2026-12-01" }, 422, "end_date"],
    [
      "a creative without a brand",
      { creatives: [creativeBody, { creative_type: "product_mention" }] },
      400,
      "creatives[1].brand_name is required",
    ],
    [
      "a hook without a text",
      { creatives: [{ creative_type: "narrative_hook", brand_name: "x" }] },
      400,
      "creatives[0]: narrative_hook is required",
    ],
    [
      "texts that are too long together",
      { creatives: [{ ...creativeBody, alt_hooks: Array(9).fill("h".repeat(2_000)) }] },
      422,
      "creatives[0]: The texts of a creative",
    ],
    [
      "too many creatives",
      { creatives: Array(101).fill(creativeBody) },
      422,
      "creatives must be a list of at most 100 entries",
    ],
    [
      "a city without a country",
      { geo_targets: [{ target_type: "city", city_name: "Bonn" }] },
      400,
      "geo_targets[0]: country_code is required",
    ],
    [
      "a place both in and out",
      {
        geo_targets: [
          { target_type: "country", country_code: "DE" },
          { target_type: "country", country_code: "de", include: false },
        ],
      },
      422,
      "geo_targets[1]: include must not be false: geo_targets[0] includes the same place",
    ],
    [
      "a keyword without a word",
      { blocklist: [{ rule_type: "keyword", value: "!?" }] },
      400,
      "blocklist[0]: value of a keyword rule",
    ],
    [
      "an affinity twice",
      { affinities: [whole.affinities[0], whole.affinities[0]] },
      422,
      "affinities[1] repeats affinities[0]",
    ],
    [
      "nothing to serve although it is to be active",
      { activate: true, creatives: [] },
      409,
      "The campaign has no creative",
    ],
    [
      "a bid above the balance although it is to be active",
      { activate: true, cpm_bid_cents: 1_001 },
      409,
      "The balance (balance_cents is 1) does not cover one impression at cpm_bid_cents 1001",
    ],
    ["activate that is not a boolean", { activate: "yes" }, 400, "activate must be"],
    [
      "more than 256 KiB",
      {
        creatives: Array(11).fill({ ...creativeBody, alt_hooks: Array(8).fill("h".repeat(2_000)) }),
        geo_targets: Array(500).fill({ target_type: "country", country_code: "DE" }),
      },
      422,
      "A campaign as published has at most 262144 bytes",
    ],
  ])("refuses one with %s, and creates the others", async (_what, changes, status, error) => {
    const owner = await harness.advertiser(1);
    const { body } = await bulk(owner, [campaignBody, { ...whole, ...changes }, campaignBody]).expect(200);
    expect(body.results.map((one: { status: number }) => one.status)).toEqual([201, status, 201]);
    expect(body.results[1]).toEqual({ status, error: expect.stringContaining(error) });
    expect(await campaignsOf(owner)).toHaveLength(2);
  });

  it.each([7, "campaign", null, [campaignBody]])("refuses %j, and creates the others", async (entry) => {
    const owner = await harness.advertiser();
    const { body } = await bulk(owner, [entry, campaignBody]).expect(200);
    expect(body.results).toEqual([
      { status: 400, error: "The campaign must be a JSON object." },
      { status: 201, campaign: expect.objectContaining(campaignBody) },
    ]);
  });

  it("activates those that say so, and leaves the others drafts", async () => {
    const owner = await harness.advertiser(1_000);
    const answer = await bulk(owner, [{ ...whole, activate: true }, { ...whole, activate: false }, whole]);
    const { results } = answer.body as { results: { campaign: { id: string; status: string } }[] };
    expect(results.map(({ campaign }) => campaign.status)).toEqual(["active", "draft", "draft"]);
    const [active] = results.map(({ campaign }) => campaign.id);
    const stored = await campaignsOf(owner);
    expect(stored.map(({ id, firstActivatedAt }) => [id === active, firstActivatedAt !== null])).toEqual(
      stored.map(({ id }) => [id === active, id === active]),
    );
    expect(await harness.money.readCampaign(owner.advertiserId, active ?? "")).toMatchObject({
      status: "active",
    });
    await owner.post(`/campaigns/${active}/activate`).expect(409);
    await owner.post(`/campaigns/${active}/pause`).expect(200);
  });

  it("activates one whose impression takes the whole balance", async () => {
    const owner = await harness.advertiser(1);
    const { body } = await bulk(owner, [{ ...whole, cpm_bid_cents: 1_000, activate: true }]).expect(200);
    expect(body.results).toMatchObject([{ status: 201, campaign: { status: "active" } }]);
  });

  it("activates by the balance that impressions leave which billing still writes", async () => {
    const priceMillicents = 500;
    let owner = await harness.advertiser(1);
    const spend = async () => {
      owner = await harness.advertiser(1);
      const { advertiserId } = owner;
      const { campaignId, creativeId } = await activeCampaign(owner);
      const campaignVersion = (await harness.money.readCampaign(advertiserId, campaignId))?.version ?? 0;
      const spending = { advertiserId, campaignId, creativeId, campaignVersion, priceMillicents };
      await hold(harness.money, spending);
      await charge(harness.money, spending);
    };
    const sendWhileWriting = async () => {
      const answer = bulk(owner, [{ ...whole, cpm_bid_cents: 600, activate: true }]).then((sent) => sent);
      // A request that did not wait would be answered by then.
      await sleep(200);
      await harness.management.database.advertiser.update({
        where: { id: owner.advertiserId },
        data: { impressions: 1, spentMillicents: priceMillicents },
      });
      return answer;
    };
    const { body } = await afterBilling(sendWhileWriting, spend);
    expect(body.results).toEqual([{ status: 409, error: expect.stringContaining("balance_cents is 0") }]);
  });

  it("creates as many as the advertiser may have, also beside others", async () => {
    const owner = await harness.advertiser();
    await harness.management.database.$executeRaw`
      INSERT INTO campaigns (id, advertiser_id, name, budget_cents, cpm_bid_cents, version, published_version)
      SELECT 'camp_' || lpad(n::text, 26, '0'), ${owner.advertiserId}, 'many', 1000, 500, 1, 1
      FROM generate_series(1, ${MAX_CAMPAIGNS - 3}) AS n`;
    const answers = await Promise.all([1, 2].map(() => bulk(owner, [campaignBody, campaignBody])));
    const results = answers.flatMap(({ body }) => body.results);
    expect(results.map(({ status }) => status).sort()).toEqual([201, 201, 201, 422]);
    expect(results.find(({ status }) => status === 422).error).toContain(
      `at most ${MAX_CAMPAIGNS} campaigns`,
    );
  });

  it("creates what its account has room for", async () => {
    const owner = await harness.advertiser();
    await harness.management.database.account.update({
      where: { id: owner.accountId },
      data: { publishedBytes: MAX_ACCOUNT_BYTES - 1_000 },
    });
    const large = { ...campaignBody, target_tags: ["x".repeat(200), "y".repeat(200)] };
    const { body } = await bulk(owner, [large, large, campaignBody]).expect(200);
    expect(body.results.map(({ status }: { status: number }) => status)).toEqual([201, 422, 201]);
    expect(body.results[1].error).toContain(`${MAX_ACCOUNT_BYTES} bytes`);
  });

  it("runs once per Idempotency-Key, and answers what it answered first", async () => {
    const owner = await harness.advertiser();
    const send = (campaigns: unknown[]) => bulk(owner, campaigns).set("Idempotency-Key", "line 1");
    const refused = { ...campaignBody, cpm_bid_cents: 1 };
    const answers = await Promise.all([1, 2, 3].map(() => send([whole, refused])));
    for (const { body } of answers) expect(body).toEqual(answers[0]?.body);
    expect(answers.filter(({ headers }) => headers["idempotency-replayed"] === "true")).toHaveLength(2);
    expect(await campaignsOf(owner)).toHaveLength(1);
    await send([whole]).expect(409);
  });

  it("that created nothing is evaluated anew when it is repeated", async () => {
    const owner = await harness.advertiser();
    const { account } = harness.management.database;
    const full = (publishedBytes: number) =>
      account.update({ where: { id: owner.accountId }, data: { publishedBytes } });
    const send = () => bulk(owner, [whole]).set("Idempotency-Key", "once there is room").expect(200);
    await full(MAX_ACCOUNT_BYTES);
    expect((await send()).body.results).toMatchObject([{ status: 422 }]);
    await full(0);
    expect((await send()).body.results).toMatchObject([{ status: 201 }]);
    expect(await campaignsOf(owner)).toHaveLength(1);
  });

  it.each<[string, unknown, number]>([
    ["no campaign", { campaigns: [] }, 422],
    ["501 campaigns", { campaigns: Array(501).fill(campaignBody) }, 422],
    ["no list", { campaigns: campaignBody }, 400],
  ])("with %s is refused, and creates nothing", async (_what, body, status) => {
    const owner = await harness.advertiser();
    const answer = await owner.post("/campaigns/bulk", body).expect(status);
    expect(answer.body.detail).toContain("campaigns");
    expect(await campaignsOf(owner)).toHaveLength(0);
  });

  it("counts as one request for each 100 campaigns, and creates nothing beyond the limit", async () => {
    const owner = await harness.advertiser();
    const limited = await eventually(async () => {
      // In one minute: a window that ends meanwhile begins anew.
      const { body } = await owner
        .post("/api-keys", { label: "limited", rate_limit_per_minute: 10 })
        .expect(201);
      const by = harness.callerWith(owner.accountId, body.key);
      const before = await by.get("/campaigns").expect(200);
      const answer = await bulk(by, Array(201).fill(campaignBody)).expect(200);
      const isSameMinute = answer.headers["x-ratelimit-reset"] === before.headers["x-ratelimit-reset"];
      return isSameMinute && { by, before, answer };
    });
    const remaining = ({ headers }: { headers: Record<string, string> }) =>
      Number(headers["x-ratelimit-remaining"]);
    expect(remaining(limited.before) - remaining(limited.answer)).toBe(3);
    const { body } = await owner.post("/api-keys", { label: "two", rate_limit_per_minute: 2 }).expect(201);
    const other = await harness.advertiser();
    let created = (await campaignsOf(owner)).length;
    const refused = await bulk(
      harness.callerWith(owner.accountId, body.key),
      Array(500).fill(campaignBody),
    ).expect(422);
    expect(refused.body.detail).toContain("counts as 5 requests, and its key may send 2 a minute");
    expect(await campaignsOf(owner)).toHaveLength(created);
    await eventually(async () => {
      // Exhausted unless a new minute has begun between the two.
      const answers = await Promise.all(
        [1, 2].map(() => bulk(harness.callerWith(owner.accountId, body.key), Array(150).fill(campaignBody))),
      );
      created += 150 * answers.filter(({ status }) => status === 200).length;
      expect(await campaignsOf(owner)).toHaveLength(created);
      return answers.some(({ status }) => status === 429);
    });
    // Of accounts: others are not limited by it.
    await bulk(other, [campaignBody]).expect(200);
  });
});
