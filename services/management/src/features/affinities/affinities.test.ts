import { newId } from "@diegetic/contracts";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  type Caller,
  campaignBody,
  creativeBody,
  type Harness,
  startHarness,
} from "../../testing/harness.ts";

let harness: Harness;
let caller: Caller;
let campaignId: string;
let path: string;
beforeAll(async () => {
  harness = await startHarness();
  caller = await harness.advertiser();
  campaignId = await newCampaign();
  path = `/campaigns/${campaignId}/affinities`;
});
afterAll(() => harness.stop());

const newCampaign = async (): Promise<string> =>
  (await caller.post("/campaigns", campaignBody).expect(201)).body.id;
const mood = { affinity_type: "mood", affinity_value: "calm" };
const list = async (where = path) => (await caller.get(where).expect(200)).body;

const types = ["action", "location", "theme", "mood", "category", "lighting", "effects", "camera"];

/** Name, change to a valid affinity, status, and a part of the detail. */
const refused: [string, object, number, string][] = [
  ["no type", { affinity_type: undefined }, 400, "affinity_type is required"],
  ["an unknown type", { affinity_type: "sound" }, 422, types.join(", ")],
  ["a type that is no text", { affinity_type: ["mood"] }, 400, "affinity_type"],
  ["no value", { affinity_value: undefined }, 400, "affinity_value is required"],
  ["a value of null", { affinity_value: null }, 400, "affinity_value is required"],
  ["an empty value", { affinity_value: "" }, 400, "affinity_value"],
  ["a blank value", { affinity_value: "  " }, 400, "affinity_value"],
  ["a long value", { affinity_value: "x".repeat(201) }, 422, "at most 200"],
  ["a small weight", { weight: 0.099 }, 422, "weight must be a number from 0.1 to 3"],
  ["a large weight", { weight: 3.001 }, 422, "weight must be a number from 0.1 to 3"],
  ["a negative weight", { weight: -1 }, 422, "weight"],
  ["a weight as text", { weight: "1" }, 400, "weight must be a number"],
];

describe("an affinity", () => {
  it.each(types)("is created: %s", async (affinity_type) => {
    const { body } = await caller.post(path, { affinity_type, affinity_value: "x" }).expect(201);
    expect(body).toMatchObject({ campaign_id: campaignId, affinity_type, affinity_value: "x", weight: 1 });
  });

  it.each([
    ["the default", {}, 1],
    ["null: the default", { weight: null }, 1],
    ["the smallest", { weight: 0.1 }, 0.1],
    ["the largest", { weight: 3 }, 3],
    ["a fraction", { weight: 1.2345 }, 1.2345],
  ])("has a weight: %s", async (affinity_value, change, weight) => {
    const { body } = await caller.post(path, { ...mood, affinity_value, ...change }).expect(201);
    expect(body.weight).toBe(weight);
  });

  it.each(refused)("is refused with %s", async (_name, change, status, part) => {
    const answer = await caller.post(path, { ...mood, ...change }).expect(status);
    expect(answer.body).toEqual({ detail: expect.stringContaining(part) });
  });

  it("remembers from which version of the campaign on it is in force", async () => {
    const { body } = await caller.post(path, mood).expect(201);
    const { database } = harness.management;
    const { version } = await database.campaign.findUniqueOrThrow({ where: { id: campaignId } });
    const row = await database.affinity.findUniqueOrThrow({ where: { id: body.id } });
    expect(row.sinceVersion).toBe(version);
  });
});

describe("the same affinity twice in one campaign", () => {
  /** One value in three spellings that scenes do not tell apart. */
  const spellings = ["Café", " CAFÉ ", "cafe\u0301\u200b"];
  const spelled = spellings.map((affinity_value) => ({ ...mood, affinity_value }));

  it("is refused, whatever its spelling and weight", async () => {
    const where = `/campaigns/${await newCampaign()}/affinities`;
    const { body } = await caller.post(where, { ...spelled[0], weight: 2 }).expect(201);
    for (const again of spelled) {
      const answer = await caller.post(where, { ...again, weight: 3 }).expect(422);
      expect(answer.body.detail).toBe(
        `The campaign already has this mood affinity with weight 2: delete ${body.id} first to change its weight.`,
      );
    }
    await caller.post(where, { ...spelled[0], affinity_type: "theme" }).expect(201);
    await caller.post(where, { ...mood, affinity_value: "cafe" }).expect(201);
    expect(await list(where)).toHaveLength(3);
  });

  it("is refused in a bulk list, which replaces nothing", async () => {
    const where = `/campaigns/${await newCampaign()}/affinities`;
    await caller.post(where, mood).expect(201);
    const answer = await caller.put(`${where}/bulk`, { affinities: [mood, ...spelled] }).expect(422);
    expect(answer.body.detail).toMatch(/^affinities\[2\] repeats affinities\[1\]: /);
    expect(await list(where)).toHaveLength(1);
  });

  it("is refused when two requests come at the same time", async () => {
    const where = `/campaigns/${await newCampaign()}/affinities`;
    const answers = await Promise.all(spelled.map((one) => caller.post(where, one)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422, 422]);
  });

  it("does no harm in a campaign that has had it since before it was refused", async () => {
    const id = await newCampaign();
    const where = `/campaigns/${id}/affinities`;
    const ids = spellings.map(() => newId("aff"));
    const { database } = harness.management;
    for (const [n, affinityValue] of spellings.entries()) {
      await database.affinity.create({
        data: { id: ids[n] ?? "", campaignId: id, affinityType: "mood", affinityValue, weight: 1 + n },
      });
    }
    await caller.post(where, mood).expect(201);
    expect(await list(where)).toHaveLength(4);
    const { version, publishedVersion } = await database.campaign.findUniqueOrThrow({ where: { id } });
    expect(publishedVersion).toBe(version);
    await caller.post(`/campaigns/${id}/creatives`, creativeBody).expect(201);
    const simulated = await caller.post(`/campaigns/${id}/simulate`, {
      narrative_function: "x",
      mood: "café",
    });
    expect(simulated.body).toMatchObject({ total_score: 3, affinity_scores: { mood: 3 } });
    await caller.delete(`${where}/${ids[2]}`).expect(204);
    await caller.post(where, spelled[0]).expect(422);
  });
});

describe("a value that is sought as whole words", () => {
  it.each(["lighting", "effects", "camera"])("has a letter or a digit: %s", async (affinity_type) => {
    for (const affinity_value of ["!?", "🔥", "\u0301"]) {
      const answer = await caller.post(path, { affinity_type, affinity_value }).expect(400);
      expect(answer.body.detail).toContain("must contain a letter or a digit, but");
      const one = { affinity_type, affinity_value };
      const bulk = await caller.put(`${path}/bulk`, { affinities: [mood, one] }).expect(400);
      expect(bulk.body.detail).toMatch(/^affinities\[1\]\.affinity_value of an? /);
    }
    await caller.post(path, { affinity_type, affinity_value: "8" }).expect(201);
  });

  it("is no other one: a mood can be equal to anything", async () => {
    await caller.post(path, { affinity_type: "mood", affinity_value: "🔥" }).expect(201);
  });
});

describe("PUT /campaigns/{id}/affinities/bulk", () => {
  const put = (body: unknown, where = path) => caller.put(`${where}/bulk`, body);
  const moods = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ ...mood, affinity_value: `mood ${n}` }));

  it("replaces all, and answers the new ones in the order of the list, which is their age", async () => {
    const before = await list();
    const affinities = Array.from({ length: 50 }, (_, n) => ({
      affinity_type: types[n % types.length],
      affinity_value: `value ${49 - n}`,
      ...(n % 3 === 0 ? {} : { weight: 2 }),
    }));
    const { body } = await put({ affinities }).expect(200);
    expect(body).toHaveLength(50);
    for (const [index, affinity] of affinities.entries()) {
      expect(body[index]).toMatchObject({ campaign_id: campaignId, weight: 1, ...affinity });
    }
    expect(await list()).toEqual(body);
    for (const { id } of before) expect(body.map((one: { id: string }) => one.id)).not.toContain(id);
    const page = await caller.get(`${path}?limit=30`).expect(200);
    expect(page.body).toEqual(body.slice(0, 30));
    await caller.post(path, mood).expect(422);
  });

  it("takes an empty list", async () => {
    await put({ affinities: [mood] }).expect(200);
    await put({ affinities: [] }).expect(200, []);
    expect(await list()).toEqual([]);
  });

  it("replaces nothing when one entry is refused", async () => {
    const { body } = await put({ affinities: [mood] }).expect(200);
    const { version } = await harness.management.database.campaign.findUniqueOrThrow({
      where: { id: campaignId },
    });
    for (const [name, change, status, part] of refused) {
      const answer = await put({ affinities: [mood, { ...mood, ...change }] });
      expect([name, answer.status]).toEqual([name, status]);
      expect(answer.body.detail).toContain(part);
      expect(answer.body.detail).toContain("affinities[1]");
    }
    const wrong: [unknown, number, string][] = [
      [{ affinities: Array(51).fill(mood) }, 422, "at most 50"],
      [{}, 400, "affinities is required"],
      [{ affinities: null }, 400, "affinities is required"],
      [{ affinities: mood }, 400, "affinities must be a list"],
      [{ affinities: ["calm"] }, 400, "affinities[0] must be an object"],
      [{ affinities: [null] }, 400, "affinities[0] must be an object"],
      [[mood], 400, "must be a JSON object"],
    ];
    for (const [sent, status, part] of wrong) {
      const answer = await put(sent);
      expect([answer.status, answer.body]).toEqual([status, { detail: expect.stringContaining(part) }]);
    }
    expect(await list()).toEqual(body);
    const after = await harness.management.database.campaign.findUniqueOrThrow({ where: { id: campaignId } });
    expect(after.version).toBe(version);
  });

  it("leaves one whole list behind when several replace at the same time", async () => {
    const bulk = (name: string) =>
      put({ affinities: types.map((affinity_type) => ({ affinity_type, affinity_value: name })) });
    const answers = await Promise.all(["a", "b", "c", "d"].map(bulk));
    for (const { status } of answers) expect(status).toBe(200);
    const left: { affinity_value: string }[] = await list();
    expect(left).toHaveLength(types.length);
    expect(new Set(left.map((one) => one.affinity_value)).size).toBe(1);
  });

  it("never passes the limit together with single ones", async () => {
    await put({ affinities: [] }).expect(200);
    await Promise.all([
      put({ affinities: moods(50) }).expect(200),
      ...[1, 2, 3].map((n) => caller.post(path, { ...mood, affinity_value: `single ${n}` })),
    ]);
    expect((await list()).length).toBeLessThanOrEqual(50);
  });

  it("touches no other campaign, publishes, and respects ownership", async () => {
    const other = `/campaigns/${await newCampaign()}/affinities`;
    await put({ affinities: [mood] }, other).expect(200);
    await put({ affinities: [] }).expect(200);
    expect(await list(other)).toHaveLength(1);
    const row = await harness.management.database.campaign.findUniqueOrThrow({ where: { id: campaignId } });
    expect(row.publishedVersion).toBe(row.version);
    const stranger = await harness.advertiser();
    await stranger.put(`${path}/bulk`, { wrong: true }).expect(403);
    await caller.put("/campaigns/camp_0/affinities/bulk", { wrong: true }).expect(404);
    expect((await caller.post(`${path}/bulk`, {}).expect(405)).headers.allow).toBe("PUT");
  });
});
