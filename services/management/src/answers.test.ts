import * as contracts from "@diegetic/contracts";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  activeCampaign,
  type Caller,
  campaignBody,
  creativeBody,
  type Harness,
  startHarness,
} from "./testing/harness.ts";

let harness: Harness;
let caller: Caller;
beforeAll(async () => {
  harness = await startHarness();
  caller = await harness.caller();
});
afterAll(() => harness.stop());

/** Exactly of this shape: the validator copies what its schema knows, and nothing may be lost by that. */
function expectShape(schema: Parameters<typeof contracts.validator>[0], body: unknown): void {
  expect(contracts.validator(schema)(body)).toEqual(body);
}

describe("answers", () => {
  it("have the shape of their schemas", async () => {
    const profile = { company_name: "Ember", contact_email: "shape@example.com" };
    expectShape(contracts.advertiserSchema, (await caller.post("/register", profile).expect(201)).body);
    expectShape(contracts.advertiserSchema, (await caller.get("/profile").expect(200)).body);
    const deposit = await caller.post("/deposit", { amount_cents: 500 }).expect(200);
    expectShape(contracts.depositResponseSchema, deposit.body);
    const draft = await caller.post("/campaigns", campaignBody).expect(201);
    expectShape(contracts.campaignSchema, draft.body);
    const { campaignId, creativeId } = await activeCampaign(caller);
    const list = await caller.get("/campaigns").expect(200);
    expect(list.body).toHaveLength(2);
    for (const campaign of list.body) expectShape(contracts.campaignSchema, campaign);
    const paused = await caller.post(`/campaigns/${campaignId}/pause`).expect(200);
    expectShape(contracts.campaignSchema, paused.body);
    const creative = await caller.patch(`/creatives/${creativeId}`, { tone: "humorous" }).expect(200);
    expectShape(contracts.creativeSchema, creative.body);
    const created = await caller.post(`/campaigns/${campaignId}/creatives`, creativeBody).expect(201);
    expectShape(contracts.creativeSchema, created.body);
    const placement = { creator_id: "c", placement_types: ["narrative_hook"] };
    expectShape(contracts.placementSchema, (await caller.post("/placements/g", placement).expect(201)).body);
    expectShape(contracts.placementSchema, (await caller.get("/placements/g").expect(200)).body);
    expectShape(contracts.campaignStatsSchema, (await caller.get(`/campaigns/${campaignId}/stats`)).body);
    expectShape(contracts.revenueSchema, (await caller.get("/revenue").expect(200)).body);
    expectShape(contracts.creatorRevenueSchema, (await caller.get("/creator-revenue").expect(200)).body);
    expectShape(contracts.gameRevenueSchema, (await caller.get("/creator-revenue/g").expect(200)).body);
    const missing = await caller.get("/campaigns/nothing").expect(404);
    expectShape(contracts.errorSchema, missing.body);
    expect(missing.headers["x-ratelimit-limit"]).toBeDefined();
  });

  it("are refusals to repeat for what a proxy should have routed to match instances", async () => {
    const sent = { game_id: "g", campaign_id: "camp", creative_id: "crt" };
    for (const path of ["/match", "/impressions"]) {
      const refused = await caller.post(path, sent).retry(0).expect(503);
      expect(refused.body.detail).toContain("route /match and /impressions to match instances");
      expect(refused.headers["retry-after"]).toBe("1");
    }
  });

  it("are errors for bodies that are no JSON, too large or of another type", async () => {
    const send = (type: string, body: string) => caller.post("/deposit").set("Content-Type", type).send(body);
    await send("application/json", "{").expect(400);
    await send("application/json", "5").expect(400);
    await send("text/plain", "{}").expect(415);
    await send("application/json", JSON.stringify({ a: "x".repeat(257 * 1024) })).expect(413);
  });
});
