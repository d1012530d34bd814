import { Prisma } from "@diegetic/database";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  activeCampaign,
  type Caller,
  campaignBody,
  creativeBody,
  type Harness,
  startHarness,
} from "../../testing/harness.ts";
import { holdLock, waitingForLock } from "../../testing/locks.ts";
import { writeImpressions } from "../../testing/spending.ts";

let harness: Harness;
let caller: Caller & { advertiserId: string };
beforeAll(async () => {
  harness = await startHarness();
  caller = await harness.advertiser(1_000_000);
});
afterAll(() => harness.stop());

const UNKNOWN = "camp_00000000000000000000000000";

describe("campaigns", () => {
  it("start as drafts with their defaults", async () => {
    const { body } = await caller.post("/campaigns", campaignBody).expect(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^camp_[0-9a-z]{26}$/),
      ...campaignBody,
      status: "draft",
      spent_cents: 0,
      spent_millicents: 0,
      daily_cap_cents: null,
      start_date: null,
      end_date: null,
      priority: 5,
      target_categories: [],
      target_tags: [],
      created_at: expect.any(String),
    });
    await caller.get(`/campaigns/${body.id}`).expect(200, body);
  });

  it("keep what is given, dates as they were written", async () => {
    const given = {
      name: "Größe 🎲",
      budget_cents: 1_000_000_000,
      cpm_bid_cents: 10_000,
      daily_cap_cents: 1,
      start_date: "2026-12-01",
      end_date: "2026-12-01T23:59:59+02:00",
      priority: 0,
      target_categories: ["RPG"],
      target_tags: ["tavern", "night"],
    };
    const ours = { status: "active", spent_cents: 5 };
    const { body } = await caller.post("/campaigns", { ...given, ...ours }).expect(201);
    expect(body).toMatchObject({ ...given, status: "draft", spent_cents: 0 });
  });

  const refused: [string, object, number, string][] = [
    ["no name", { name: undefined }, 400, "name is required"],
    ["blank name", { name: "" }, 400, "name"],
    ["long name", { name: "x".repeat(201) }, 422, "200"],
    ["no budget", { budget_cents: undefined }, 400, "budget_cents is required"],
    ["budget as text", { budget_cents: "1" }, 400, "budget_cents"],
    ["budget with a fraction", { budget_cents: 1.2 }, 400, "whole number"],
    ["budget of zero", { budget_cents: 0 }, 422, "from 1 to 1000000000"],
    ["budget too high", { budget_cents: 1_000_000_001 }, 422, "budget_cents"],
    ["bid below", { cpm_bid_cents: 99 }, 422, "from 100 to 10000"],
    ["bid above", { cpm_bid_cents: 10_001 }, 422, "from 100 to 10000"],
    ["no bid", { cpm_bid_cents: null }, 400, "cpm_bid_cents is required"],
    ["cap of zero", { daily_cap_cents: 0 }, 422, "daily_cap_cents"],
    ["priority above", { priority: 11 }, 422, "from 0 to 10"],
    ["priority below", { priority: -1 }, 422, "from 0 to 10"],
    ["no date", { start_date: "tomorrow" }, 400, "start_date"],
    ["a day that is not there", { end_date: "2026-02-30" }, 400, "end_date"],
    ["a blank date", { end_date: "" }, 400, "end_date"],
    ["end before start", { start_date: "2026-12-02", end_date: "2026-12-01" }, 422, "end_date"],
    ["tags no list", { target_tags: "a" }, 400, "target_tags must be a list"],
    ["a blank tag", { target_tags: ["a", " "] }, 400, "target_tags[1]"],
    ["a null tag", { target_tags: [null] }, 400, "target_tags[0]"],
    ["a long tag", { target_tags: ["x".repeat(201)] }, 422, "target_tags[0]"],
    ["too many tags", { target_tags: Array(101).fill("x") }, 422, "100"],
  ];
  it.each(refused)("are refused with %s", async (_name, changes, status, part) => {
    const answer = await caller.post("/campaigns", { ...campaignBody, ...changes }).expect(status);
    expect(answer.body.detail).toContain(part);
  });

  it("are listed newest first, whole or by pages", async () => {
    const owner = await harness.advertiser();
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.unshift((await owner.post("/campaigns", campaignBody)).body.id);
    const whole = await owner.get("/campaigns").expect(200);
    expect(whole.body.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(whole.headers.link).toBeUndefined();
    const seen: string[] = [];
    let path: string | undefined = "/campaigns?limit=2";
    while (path !== undefined) {
      const page: { body: { id: string }[]; headers: Record<string, string> } = await owner
        .get(path)
        .expect(200);
      seen.push(...page.body.map(({ id }) => id));
      path = /^<\/api(.*)>; rel="next"$/.exec(page.headers.link ?? "")?.[1];
    }
    expect(seen).toEqual(ids);
    for (const bad of [
      "limit=x",
      "limit=",
      "limit=1.5",
      "cursor=",
      "cursor=nonsense",
      "cursor=camp_x",
      `cursor=camp_${"z".repeat(26)}`,
    ]) {
      await owner.get(`/campaigns?${bad}`).expect(400);
    }
    for (const bad of ["limit=0", "limit=501"]) await owner.get(`/campaigns?${bad}`).expect(422);
  });

  it("of others are 403, unknown ones 404, before the body is looked at", async () => {
    const stranger = await harness.advertiser();
    const { body } = await caller.post("/campaigns", campaignBody).expect(201);
    for (const [path, status] of [
      [`/campaigns/${body.id}`, 403],
      [`/campaigns/${UNKNOWN}`, 404],
      ["/campaigns/nonsense", 404],
      ["/campaigns/camp_%00", 404],
    ] as const) {
      await stranger.get(path).expect(status);
      await stranger.patch(path, { budget_cents: "x" }).expect(status);
      await stranger.post(`${path}/activate`).expect(status);
      await stranger.post(`${path}/pause`).expect(status);
      await stranger.get(`${path}/stats`).expect(status);
      await stranger.get(`${path}/creatives`).expect(status);
      await stranger.post(`${path}/creatives`, {}).expect(status);
    }
  });
});

describe("PATCH of a campaign", () => {
  it("changes what it contains; null clears or goes back to the default", async () => {
    const { body } = await caller
      .post("/campaigns", {
        ...campaignBody,
        priority: 9,
        daily_cap_cents: 7,
        start_date: "2026-12-01",
        target_tags: ["a"],
      })
      .expect(201);
    const path = `/campaigns/${body.id}`;
    const renamed = await caller.patch(path, { name: "B", status: "draft", spent_cents: 0 }).expect(200);
    expect(renamed.body).toEqual({ ...body, name: "B" });
    const cleared = await caller
      .patch(path, { priority: null, daily_cap_cents: null, start_date: null, target_tags: null })
      .expect(200);
    expect(cleared.body).toEqual({
      ...body,
      name: "B",
      priority: 5,
      daily_cap_cents: null,
      start_date: null,
      target_tags: [],
    });
    await caller.patch(path, {}).expect(200, cleared.body);
    for (const field of ["name", "budget_cents", "cpm_bid_cents"]) {
      await caller.patch(path, { [field]: null }).expect(400);
    }
    await caller.patch(path, { cpm_bid_cents: 99 }).expect(422);
  });

  it("looks at both dates, the given and the current one", async () => {
    const { body } = await caller
      .post("/campaigns", { ...campaignBody, start_date: "2026-12-05" })
      .expect(201);
    await caller.patch(`/campaigns/${body.id}`, { end_date: "2026-12-04" }).expect(422);
    await caller.patch(`/campaigns/${body.id}`, { end_date: "2026-12-05" }).expect(200);
    await caller.patch(`/campaigns/${body.id}`, { start_date: "2026-12-06" }).expect(422);
  });

  it("refuses a budget below what is spent and names it", async () => {
    const { campaignId, creativeId } = await activeCampaign(caller);
    await writeImpressions(harness.management.database, {
      advertiserId: caller.advertiserId,
      campaignId,
      creativeId,
      gameId: "g",
      accountId: caller.accountId,
      impressions: 3,
      priceMillicents: 500,
    });
    expect((await caller.get(`/campaigns/${campaignId}`)).body.spent_cents).toBe(2);
    const answer = await caller.patch(`/campaigns/${campaignId}`, { budget_cents: 1 }).expect(422);
    expect(answer.body.detail).toContain("spent_cents is 2");
    await caller.patch(`/campaigns/${campaignId}`, { budget_cents: 2 }).expect(200);
  });
});

describe("fields of the answer in a PATCH", () => {
  it("do not look like success: a campaign is paused by its call alone", async () => {
    const { campaignId } = await activeCampaign(caller);
    const path = `/campaigns/${campaignId}`;
    const paused = await caller.patch(path, { status: "paused", name: "Winter" }).expect(422);
    expect(paused.body.detail).toContain("pause it by POST /campaigns/{id}/pause");
    for (const [name, value] of [
      ["spent_cents", 1],
      ["id", "camp_1"],
      ["created_at", null],
      ["status", "draft"],
    ] as const) {
      const answer = await caller.patch(path, { [name]: value }).expect(422);
      expect(answer.body.detail).toContain(`${name} cannot be changed by PATCH: `);
    }
    const { body } = await caller.get(path).expect(200);
    expect(body).toMatchObject({ status: "active", name: "Autumn" });
    // A client that sends back what it read changes what it wants.
    const changed = await caller.patch(path, { ...body, name: "Winter" }).expect(200);
    expect(changed.body).toEqual({ ...body, name: "Winter" });
  });

  it("are ignored in a create", async () => {
    const named = { ...campaignBody, status: "active", spent_cents: 5, id: "camp_mine" };
    const { body } = await caller.post("/campaigns", named).expect(201);
    expect(body).toMatchObject({ status: "draft", spent_cents: 0 });
    expect(body.id).not.toBe("camp_mine");
  });
});

describe("activate and pause", () => {
  it("needs a creative and a balance for one impression", async () => {
    const poor = await harness.advertiser();
    const { body } = await poor.post("/campaigns", { ...campaignBody, cpm_bid_cents: 1_001 }).expect(201);
    const path = `/campaigns/${body.id}`;
    const noCreative = await poor.post(`${path}/activate`).expect(409);
    expect(noCreative.body.detail).toContain("creative");
    await poor.post(`${path}/creatives`, creativeBody).expect(201);
    const noBalance = await poor.post(`${path}/activate`).expect(409);
    expect(noBalance.body.detail).toContain("deposit");
    await poor.post("/deposit", { amount_cents: 1 }).expect(200);
    await poor.post(`${path}/activate`).expect(409);
    await poor.patch(path, { cpm_bid_cents: 1_000 }).expect(200);
    const active = await poor.post(`${path}/activate`, "ignored").expect(200);
    expect(active.body.status).toBe("active");
    expect((await poor.post(`${path}/activate`).expect(409)).body.detail).toContain("active already");
  });

  it("pauses what is active, and activates it again", async () => {
    const { campaignId } = await activeCampaign(caller);
    const path = `/campaigns/${campaignId}`;
    const { database } = harness.management;
    const first = await database.campaign.findUniqueOrThrow({ where: { id: campaignId } });
    expect(first.firstActivatedAt).not.toBeNull();
    expect((await caller.post(`${path}/pause`).expect(200)).body.status).toBe("paused");
    expect(await harness.money.readCampaign(caller.advertiserId, campaignId)).toMatchObject({
      status: "paused",
    });
    expect((await caller.post(`${path}/pause`).expect(409)).body.detail).toContain("paused");
    await caller.post(`${path}/activate`).expect(200);
    const again = await database.campaign.findUniqueOrThrow({ where: { id: campaignId } });
    expect(again.firstActivatedAt).toEqual(first.firstActivatedAt);
    const draft = await caller.post("/campaigns", campaignBody).expect(201);
    await caller.post(`/campaigns/${draft.body.id}/pause`).expect(409);
  });

  it("is 503 while its answer cannot be read, and 200 when it is repeated", async () => {
    const { campaignId } = await activeCampaign(caller);
    const path = `/campaigns/${campaignId}/pause`;
    const freeCampaign = await holdLock(
      harness,
      Prisma.sql`SELECT FROM campaigns WHERE id = ${campaignId} FOR NO KEY UPDATE`,
    );
    const first = caller.post(path).then((answer) => answer);
    await waitingForLock(harness, "FOR NO KEY UPDATE");
    // From here on, only the last read of the request needs this table.
    const freeReads = await holdLock(harness, Prisma.sql`LOCK TABLE wallet_settlements`);
    await freeCampaign();
    const reader = await waitingForLock(harness, "caller AS MATERIALIZED");
    await harness.management.database.$queryRaw`SELECT pg_terminate_backend(${reader}::int)`;
    expect((await first).status).toBe(503);
    await freeReads();
    expect((await caller.post(path).expect(200)).body.status).toBe("paused");
    await caller.post(path).expect(409);
  });

  it("lets one of several activations at once win", async () => {
    const { body } = await caller.post("/campaigns", campaignBody).expect(201);
    await caller.post(`/campaigns/${body.id}/creatives`, creativeBody).expect(201);
    const answers = await Promise.all([1, 2, 3, 4].map(() => caller.post(`/campaigns/${body.id}/activate`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });
});
