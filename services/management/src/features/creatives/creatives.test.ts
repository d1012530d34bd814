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
beforeAll(async () => {
  harness = await startHarness();
  caller = await harness.advertiser(1_000);
  campaignId = (await caller.post("/campaigns", campaignBody).expect(201)).body.id;
});
afterAll(() => harness.stop());

describe("creatives", () => {
  it("have their defaults, and are listed in order of creation", async () => {
    const path = `/campaigns/${campaignId}/creatives`;
    const first = await caller.post(path, creativeBody).expect(201);
    expect(first.body).toEqual({
      id: expect.stringMatching(/^crt_[0-9a-z]{26}$/),
      campaign_id: campaignId,
      ...creativeBody,
      product_name: null,
      tagline: null,
      alt_hooks: [],
      tone: "neutral",
      max_uses_per_game: 3,
      impressions: 0,
      created_at: expect.any(String),
    });
    const full = {
      creative_type: "product_mention",
      brand_name: "Ember",
      product_name: "Dark",
      tagline: "Warm.",
      narrative_hook: null,
      alt_hooks: ["one", "two"],
      tone: "humorous",
      max_uses_per_game: 20,
    };
    const second = await caller.post(path, full).expect(201);
    expect(second.body).toMatchObject(full);
    const list = await caller.get(path).expect(200);
    expect(list.body).toEqual([first.body, second.body]);
    const page = await caller.get(`${path}?limit=1`).expect(200);
    expect(page.body).toEqual([first.body]);
    const next = /^<\/api(.*)>/.exec(page.headers.link ?? "")?.[1] ?? "";
    expect((await caller.get(next).expect(200)).body).toEqual([second.body]);
  });

  const refused: [string, object, number, string][] = [
    ["no type", { creative_type: undefined }, 400, "creative_type is required"],
    ["an unknown type", { creative_type: "banner" }, 422, "narrative_hook, product_mention"],
    ["a type that is no text", { creative_type: 1 }, 400, "creative_type"],
    ["no brand", { brand_name: null }, 400, "brand_name is required"],
    ["a hook without text", { narrative_hook: undefined }, 400, "narrative_hook is required"],
    ["a hook of null", { narrative_hook: null }, 400, "narrative_hook is required"],
    ["a blank hook", { narrative_hook: "  " }, 400, "narrative_hook"],
    ["a long hook", { narrative_hook: "x".repeat(2_001) }, 422, "2000"],
    ["a long brand", { brand_name: "x".repeat(201) }, 422, "200"],
    ["an unknown tone", { tone: "angry" }, 422, "positive, neutral, humorous, dramatic"],
    ["no uses", { max_uses_per_game: 0 }, 422, "from 1 to 20"],
    ["too many uses", { max_uses_per_game: 21 }, 422, "from 1 to 20"],
    ["half a use", { max_uses_per_game: 1.5 }, 400, "whole number"],
    ["a blank alternative", { alt_hooks: [""] }, 400, "alt_hooks[0]"],
    ["too many alternatives", { alt_hooks: Array(101).fill("x") }, 422, "100"],
  ];
  it.each(refused)("are refused with %s", async (_name, changes, status, part) => {
    const answer = await caller
      .post(`/campaigns/${campaignId}/creatives`, { ...creativeBody, ...changes })
      .expect(status);
    expect(answer.body.detail).toContain(part);
  });

  it("are at most 100 in a campaign", async () => {
    const { body } = await caller.post("/campaigns", campaignBody).expect(201);
    await harness.management.database.creative.createMany({
      data: Array.from({ length: 99 }, (_, n) => ({
        id: `crt_${n}`,
        campaignId: body.id,
        creativeType: "product_mention" as const,
        brandName: "x",
      })),
    });
    const path = `/campaigns/${body.id}/creatives`;
    const answers = await Promise.all([1, 2, 3].map(() => caller.post(path, creativeBody)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422]);
  });

  it("change by PATCH, but not their type", async () => {
    const { body } = await caller
      .post(`/campaigns/${campaignId}/creatives`, {
        ...creativeBody,
        tone: "dramatic",
        tagline: "a",
        max_uses_per_game: 9,
      })
      .expect(201);
    const path = `/creatives/${body.id}`;
    const changed = await caller.patch(path, { brand_name: "B", alt_hooks: ["z"] }).expect(200);
    expect(changed.body).toEqual({ ...body, brand_name: "B", alt_hooks: ["z"] });
    const cleared = await caller
      .patch(path, { tone: null, tagline: null, alt_hooks: null, max_uses_per_game: null })
      .expect(200);
    expect(cleared.body).toMatchObject({
      tone: "neutral",
      tagline: null,
      alt_hooks: [],
      max_uses_per_game: 3,
    });
    const row = () =>
      harness.management.database.campaign.findUniqueOrThrow({
        where: { id: campaignId },
        select: { version: true },
      });
    const before = await row();
    await caller.patch(path, {}).expect(200, cleared.body);
    expect(await row()).toEqual(before);
    const type = await caller.patch(path, { creative_type: "narrative_hook" }).expect(422);
    expect(type.body.detail).toContain("creative_type cannot be changed");
    const moved = await caller.patch(path, { campaign_id: "camp_other" }).expect(422);
    expect(moved.body.detail).toContain("campaign_id cannot be changed by PATCH: create another creative");
    const { creative_type: _type, ...read } = cleared.body;
    await caller.patch(path, read).expect(200, cleared.body);
    await caller.patch(path, { brand_name: null }).expect(400);
    await caller.patch(path, { narrative_hook: null }).expect(400);
    await caller.patch(path, { max_uses_per_game: 21 }).expect(422);
  });

  it("of others are 403, unknown and deleted ones 404", async () => {
    const stranger = await harness.advertiser();
    const { body } = await caller.post(`/campaigns/${campaignId}/creatives`, creativeBody).expect(201);
    await stranger.patch(`/creatives/${body.id}`, { brand_name: 1 }).expect(403);
    await stranger.delete(`/creatives/${body.id}`).expect(403);
    await caller.patch("/creatives/crt_nothing", {}).expect(404);
    await caller.patch("/creatives/%00", {}).expect(404);
    const deleted = await caller.delete(`/creatives/${body.id}`).expect(204);
    expect(deleted.text).toBe("");
    await caller.delete(`/creatives/${body.id}`).expect(404);
    await caller.patch(`/creatives/${body.id}`, {}).expect(404);
    const list = await caller.get(`/campaigns/${campaignId}/creatives`).expect(200);
    expect(list.body.map(({ id }: { id: string }) => id)).not.toContain(body.id);
    const row = await harness.management.database.creative.findUniqueOrThrow({ where: { id: body.id } });
    expect(row).toMatchObject({
      brandName: creativeBody.brand_name,
      narrativeHook: "",
      altHooks: [],
      tagline: null,
    });
  });

  it("keep the line that players have seen when they are deleted", async () => {
    const { body } = await caller.post(`/campaigns/${campaignId}/creatives`, creativeBody).expect(201);
    const { database } = harness.management;
    await database.creative.update({ where: { id: body.id }, data: { impressions: 1 } });
    await caller.delete(`/creatives/${body.id}`).expect(204);
    const row = await database.creative.findUniqueOrThrow({ where: { id: body.id } });
    expect(row.narrativeHook).toBe(creativeBody.narrative_hook);
  });

  it("keep the last one of an active campaign, also when two are deleted at once", async () => {
    const active = await activeCampaign(caller);
    const second = await caller.post(`/campaigns/${active.campaignId}/creatives`, creativeBody).expect(201);
    const answers = await Promise.all([
      caller.delete(`/creatives/${active.creativeId}`),
      caller.delete(`/creatives/${second.body.id}`),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.detail).toContain("pause");
    const [left] = (await caller.get(`/campaigns/${active.campaignId}/creatives`)).body;
    await caller.post(`/campaigns/${active.campaignId}/pause`).expect(200);
    await caller.delete(`/creatives/${left.id}`).expect(204);
    const refused = await caller.post(`/campaigns/${active.campaignId}/activate`).expect(409);
    expect(refused.body.detail).toContain("no creative");
  });
});
