import { affinitySchema, blocklistRuleSchema, geoTargetSchema, validator } from "@diegetic/contracts";
import type { Database } from "@diegetic/database";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type Caller, campaignBody, type Harness, startHarness } from "../../testing/harness.ts";

/** What geo targets, blocklist rules and affinities have in common; what is special stands beside each feature. */
interface Kind {
  path: string;
  schema: Parameters<typeof validator>[0];
  id: RegExp;
  body: object;
  otherBody: object;
  thirdBody: object;
  most: number;
  /** Writes this number of rows. */
  fill(database: Database, campaignId: string, rows: number): Promise<unknown>;
  fixedPaths: { path: string; allow: string }[];
}

const ids = (prefix: string, rows: number) => Array.from({ length: rows }, (_, n) => `${prefix}_0${n}`);

const kinds: Kind[] = [
  {
    path: "geo-targets",
    schema: geoTargetSchema,
    id: /^geo_[0-9a-z]{26}$/,
    body: { target_type: "country", country_code: "de" },
    otherBody: { target_type: "country", country_code: "fr" },
    thirdBody: { target_type: "country", country_code: "it" },
    most: 500,
    fill: (database, campaignId, rows) =>
      database.geoTarget.createMany({
        data: ids("geo", rows).map((id) => ({
          id: `${id}${campaignId.slice(5)}`,
          campaignId,
          targetType: "country" as const,
          countryCode: "DE",
        })),
      }),
    fixedPaths: [],
  },
  {
    path: "blocklist",
    schema: blocklistRuleSchema,
    id: /^blk_[0-9a-z]{26}$/,
    body: { rule_type: "keyword", value: "war" },
    otherBody: { rule_type: "keyword", value: "peace" },
    thirdBody: { rule_type: "keyword", value: "truce" },
    most: 1_000,
    fill: (database, campaignId, rows) =>
      database.blocklistRule.createMany({
        data: ids("blk", rows).map((id) => ({
          id: `${id}${campaignId.slice(5)}`,
          campaignId,
          ruleType: "theme" as const,
          value: id,
        })),
      }),
    fixedPaths: [],
  },
  {
    path: "affinities",
    schema: affinitySchema,
    id: /^aff_[0-9a-z]{26}$/,
    body: { affinity_type: "mood", affinity_value: "calm" },
    otherBody: { affinity_type: "mood", affinity_value: "tense" },
    thirdBody: { affinity_type: "mood", affinity_value: "eerie" },
    most: 50,
    fill: (database, campaignId, rows) =>
      database.affinity.createMany({
        data: ids("aff", rows).map((id) => ({
          id: `${id}${campaignId.slice(5)}`,
          campaignId,
          affinityType: "theme" as const,
          affinityValue: id,
        })),
      }),
    fixedPaths: [{ path: "/bulk", allow: "PUT" }],
  },
];

let harness: Harness;
let caller: Caller;
beforeAll(async () => {
  harness = await startHarness();
  caller = await harness.advertiser();
});
afterAll(() => harness.stop());

const newCampaign = async (): Promise<string> =>
  (await caller.post("/campaigns", campaignBody).expect(201)).body.id;

describe.each(kinds)("/campaigns/{id}/$path", (kind) => {
  let campaignId: string;
  let path: string;
  beforeAll(async () => {
    campaignId = await newCampaign();
    path = `/campaigns/${campaignId}/${kind.path}`;
  });

  it("POST answers 201 with the row; GET lists all in the order of creation", async () => {
    expect((await caller.get(path).expect(200)).body).toEqual([]);
    const first = await caller.post(path, kind.body).expect(201);
    expect(first.body.id).toMatch(kind.id);
    expect(first.body.campaign_id).toBe(campaignId);
    expect(first.body.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(validator(kind.schema)(first.body)).toEqual(first.body);
    const second = await caller.post(path, kind.otherBody).expect(201);
    expect((await caller.get(path).expect(200)).body).toEqual([first.body, second.body]);
  });

  it("GET pages by limit and cursor, also past a row that was deleted meanwhile", async () => {
    const all = (await caller.get(path).expect(200)).body;
    const page = await caller.get(`${path}?limit=1`).expect(200);
    expect(page.body).toEqual(all.slice(0, 1));
    const next = /^<\/api(.*)>; rel="next"$/.exec(page.headers.link ?? "")?.[1] ?? "";
    const last = await caller.get(next).expect(200);
    expect(last.body).toEqual(all.slice(1));
    expect(last.headers.link).toBeUndefined();
    await caller.delete(`${path}/${all[0].id}`).expect(204);
    expect((await caller.get(next).expect(200)).body).toEqual(all.slice(1));
  });

  it.each([
    ["limit=0", 422],
    ["limit=501", 422],
    ["limit=x", 400],
    ["limit=", 400],
    ["cursor=camp_0", 400],
    ["cursor=", 400],
  ])("GET ?%s is %i", async (query, status) => {
    await caller.get(`${path}?${query}`).expect(status);
  });

  it("DELETE answers 204 without a body, then 404; a row under another campaign is 404", async () => {
    const { body } = await caller.post(path, kind.body).expect(201);
    const wrong = await caller
      .delete(`/campaigns/${await newCampaign()}/${kind.path}/${body.id}`)
      .expect(404);
    expect(wrong.body).toEqual({ detail: expect.stringContaining("The campaign has no") });
    expect((await caller.delete(`${path}/${body.id}`).expect(204)).text).toBe("");
    await caller.delete(`${path}/${body.id}`).expect(404);
    expect((await caller.get(path)).body.map(({ id }: { id: string }) => id)).not.toContain(body.id);
  });

  it.each(["camp_0", "nothing", "%00", "a%2Fb", "x".repeat(300)])("DELETE of %p is 404", async (id) => {
    await caller.delete(`${path}/${id}`).expect(404);
  });

  it("knows no other methods", async () => {
    expect((await caller.patch(path, {}).expect(405)).headers.allow).toBe("POST, GET, HEAD");
    expect((await caller.get(`${path}/x`).expect(405)).headers.allow).toBe("DELETE");
    for (const other of kind.fixedPaths) {
      expect((await caller.delete(path + other.path).expect(405)).headers.allow).toBe(other.allow);
    }
  });

  it.each([
    ["no JSON", "{", 400],
    ["no object", "[]", 400],
    ["null", "null", 400],
    ["nothing", "", 400],
  ])("POST with %s is %s", async (_name, text, status) => {
    const answer = await caller.post(path).set("Content-Type", "application/json").send(text).expect(status);
    expect(Object.keys(answer.body)).toEqual(["detail"]);
  });

  it("ignores unknown fields", async () => {
    const { body } = await caller.post(path, { ...kind.body, id: "x", nonsense: 1 }).expect(201);
    expect(body.id).toMatch(kind.id);
    expect(body).not.toHaveProperty("nonsense");
  });

  it("asks to register first, refuses strangers by 403 and unknown campaigns by 404, before it looks at a body", async () => {
    const stranger = await harness.advertiser();
    const unregistered = await harness.caller();
    const developer = await harness.caller({ scopes: ["developer", "serving"] });
    const missing = `/campaigns/camp_00000000000000000000000000/${kind.path}`;
    for (const [who, where, status, part] of [
      [stranger, path, 403, "another advertiser"],
      [unregistered, path, 403, "register first"],
      [developer, path, 403, 'scope "advertiser"'],
      [caller, missing, 404, "Campaign not found"],
      [caller, `/campaigns/nothing/${kind.path}`, 404, "Campaign not found"],
    ] as const) {
      for (const answer of [
        await who.post(where, { wrong: true }),
        await who.get(where),
        await who.delete(`${where}/x`),
      ]) {
        expect([answer.status, answer.body.detail]).toEqual([status, expect.stringContaining(part)]);
      }
    }
  });

  it("creates once per Idempotency-Key", async () => {
    const where = `/campaigns/${await newCampaign()}/${kind.path}`;
    const send = (body: object) => caller.post(where, body).set("Idempotency-Key", `${kind.path}-1`);
    const answers = await Promise.all([send(kind.body), send(kind.body), send(kind.body)]);
    for (const answer of answers) expect([answer.status, answer.body]).toEqual([201, answers[0]?.body]);
    expect((await caller.get(where)).body).toHaveLength(1);
    await send(kind.otherBody).expect(409);
    await caller.post(where, kind.body).set("Idempotency-Key", "k".repeat(256)).expect(422);
    // Another campaign is another endpoint.
    const other = await caller
      .post(`/campaigns/${await newCampaign()}/${kind.path}`, kind.body)
      .set("Idempotency-Key", `${kind.path}-1`)
      .expect(201);
    expect(other.body.id).not.toBe(answers[0]?.body.id);
  });

  it("takes as many as the limit, also from requests at the same time", async () => {
    const full = await newCampaign();
    await kind.fill(harness.management.database, full, kind.most - 1);
    const bodies = [kind.body, kind.otherBody, kind.thirdBody];
    const answers = await Promise.all(
      bodies.map((body) => caller.post(`/campaigns/${full}/${kind.path}`, body)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422]);
    const refused = answers.findIndex(({ status }) => status === 422);
    expect(answers[refused]?.body.detail).toContain(`at most ${kind.most}`);
    const list = await caller.get(`/campaigns/${full}/${kind.path}`).expect(200);
    expect(list.body).toHaveLength(kind.most);
    await caller.delete(`/campaigns/${full}/${kind.path}/${list.body[0].id}`).expect(204);
    await caller.post(`/campaigns/${full}/${kind.path}`, bodies[refused]).expect(201);
  });

  it("bumps the campaign's version by every change, published before the answer, and by nothing else", async () => {
    const row = () =>
      harness.management.database.campaign.findUniqueOrThrow({
        where: { id: campaignId },
        select: { version: true, publishedVersion: true },
      });
    const { version } = await row();
    const { body } = await caller.post(path, kind.thirdBody).expect(201);
    expect(await row()).toEqual({ version: version + 1, publishedVersion: version + 1 });
    await caller.delete(`${path}/${body.id}`).expect(204);
    expect(await row()).toEqual({ version: version + 2, publishedVersion: version + 2 });
    await caller.delete(`${path}/${body.id}`).expect(404);
    await caller.get(path).expect(200);
    await caller.post(path, {}).expect(400);
    expect((await row()).version).toBe(version + 2);
  });
});
