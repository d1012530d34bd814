import {
  SIMULATOR_MOODS,
  simulateOptionsSchema,
  simulateResponseSchema,
  validator,
} from "@diegetic/contracts";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  activeCampaign,
  type Caller,
  campaignBody,
  creativeBody,
  type Harness,
  startHarness,
} from "../../testing/harness.ts";

let harness: Harness;
let caller: Caller;
let campaignId: string;
let creativeId: string;
let path: string;
beforeAll(async () => {
  harness = await startHarness();
  caller = await harness.advertiser(1_000);
  campaignId = (await caller.post("/campaigns", campaignBody).expect(201)).body.id;
  path = `/campaigns/${campaignId}/simulate`;
});
afterAll(() => harness.stop());

const affinities = [
  { affinity_type: "location", affinity_value: "Tavern", weight: 2 },
  { affinity_type: "mood", affinity_value: "calm", weight: 1.5 },
  { affinity_type: "lighting", affinity_value: "candle light", weight: 1 },
  { affinity_type: "category", affinity_value: "rpg", weight: 1 },
];

describe("POST /campaigns/{id}/simulate", () => {
  it("is 409 without creatives, and says what to do", async () => {
    const answer = await caller.post(path, { mood: "calm" }).expect(409);
    expect(answer.body).toEqual({
      detail: expect.stringContaining("POST /campaigns/{campaign_id}/creatives"),
    });
    // The body is looked at first.
    await caller.post(path, { mood: 1 }).expect(400);
    creativeId = (await caller.post(`/campaigns/${campaignId}/creatives`, creativeBody).expect(201)).body.id;
  });

  it("scores a draft's own affinities; each type has an entry, their sum is the total", async () => {
    await caller.put(`/campaigns/${campaignId}/affinities/bulk`, { affinities }).expect(200);
    const scene = { narrative_function: "Tavern", mood: "Calm" };
    const { body } = await caller.post(path, scene).expect(200);
    expect(body).toEqual({
      campaign_id: campaignId,
      matched_creative: {
        id: creativeId,
        narrative_hook: creativeBody.narrative_hook,
        creative_type: "narrative_hook",
      },
      biased_pipeline: { lighting: "candle light", mood: "calm", location: "Tavern" },
      affinity_scores: { location: 2, mood: 1.5, lighting: 0, category: 0 },
      total_score: 3.5,
    });
    expect(validator(simulateResponseSchema)(body)).toEqual(body);
  });

  it.each([
    ["no body", undefined, 0],
    ["an empty body", {}, 0],
    ["nulls", { narrative_function: null, mood: null }, 0],
    ["an unknown mood", { mood: "eerie" }, 0],
    ["unknown fields", { mood: "calm", category: "rpg" }, 1.5],
    ["the longest function", { narrative_function: "tavern ".repeat(285) }, 1],
  ])("takes %s", async (_name, body, total) => {
    expect((await caller.post(path, body).expect(200)).body.total_score).toBe(total);
  });

  const refused: [string, unknown, number, string][] = [
    ["a mood that is no text", { mood: 5 }, 400, "mood must be text"],
    ["a blank mood", { mood: " " }, 400, "mood must be text"],
    ["a long mood", { mood: "x".repeat(201) }, 422, "at most 200"],
    ["a function that is no text", { narrative_function: ["x"] }, 400, "narrative_function must be text"],
    ["an empty function", { narrative_function: "" }, 400, "narrative_function must be text"],
    ["a long function", { narrative_function: "x".repeat(2_001) }, 422, "at most 2000"],
    ["a list", [], 400, "must be a JSON object"],
  ];
  it.each(refused)("refuses %s", async (_name, body, status, part) => {
    const answer = await caller.post(path, body).expect(status);
    expect(answer.body).toEqual({ detail: expect.stringContaining(part) });
  });

  it("works in every status, and holds, counts and bills nothing", async () => {
    const owner = await harness.advertiser(1_000);
    const { campaignId: id } = await activeCampaign(owner);
    const wallet = () => harness.money.readCampaign(owner.advertiserId, id);
    const before = await wallet();
    await owner.post(`/campaigns/${id}/simulate`, { mood: "calm" }).expect(200);
    expect(await wallet()).toEqual(before);
    await owner.post(`/campaigns/${id}/pause`).expect(200);
    await owner.post(`/campaigns/${id}/simulate`, { mood: "calm" }).expect(200);
  });

  it("is the owner's alone", async () => {
    const stranger = await harness.advertiser();
    const unregistered = await harness.caller();
    for (const where of [path, `${path}/options`]) {
      const send = (who: Caller, at = where) => (at.endsWith("options") ? who.get(at) : who.post(at, []));
      await send(stranger).expect(403);
      await send(unregistered).expect(403);
      await send(caller, where.replace(campaignId, "camp_0")).expect(404);
      await send(await harness.caller({ scopes: ["serving"] })).expect(403);
    }
    expect((await caller.get(path).expect(405)).headers.allow).toBe("POST");
    expect((await caller.post(`${path}/options`, {}).expect(405)).headers.allow).toBe("GET, HEAD");
  });
});

describe("GET /campaigns/{id}/simulate/options", () => {
  it("lists moods, examples that score, and the campaign's affinities in their order", async () => {
    const { body } = await caller.get(`${path}/options`).expect(200);
    expect(body.moods).toEqual([
      "tense",
      "hopeful",
      "dramatic",
      "calm",
      "chaotic",
      "mysterious",
      "humorous",
      "melancholic",
    ]);
    expect(body.moods).toEqual([...SIMULATOR_MOODS]);
    expect(body.current_affinities).toEqual(affinities);
    expect(validator(simulateOptionsSchema)(body)).toEqual(body);
    expect(body.narrative_examples.slice(0, 2)).toEqual(["Tavern", "candle light"]);
    for (const [index, narrative_function] of body.narrative_examples.entries()) {
      const answer = await caller.post(path, { narrative_function }).expect(200);
      if (index < 2) expect(answer.body.total_score).toBeGreaterThan(0);
    }
  });

  it("works without creatives and affinities", async () => {
    const { body } = await caller.post("/campaigns", campaignBody).expect(201);
    const options = await caller.get(`/campaigns/${body.id}/simulate/options`).expect(200);
    expect(options.body.current_affinities).toEqual([]);
    expect(options.body.narrative_examples.length).toBeGreaterThan(0);
  });
});
