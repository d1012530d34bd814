import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type Caller, type Harness, startHarness } from "../../testing/harness.ts";

let harness: Harness;
let caller: Caller;
beforeAll(async () => {
  harness = await startHarness();
  caller = await harness.caller();
});
afterAll(() => harness.stop());

const body = { creator_id: "studio", placement_types: ["narrative_hook"] };

describe("placements", () => {
  it("are created with defaults, changed, and re-enabled as they were", async () => {
    const created = await caller.post("/placements/game-1", body).expect(201);
    expect(created.body).toEqual({
      game_id: "game-1",
      ...body,
      revenue_share_pct: 70,
      max_ads_per_session: 10,
      blocked_advertisers: [],
      blocked_categories: [],
      is_active: true,
      created_at: expect.any(String),
    });
    await caller.get("/placements/game-1").expect(200, created.body);
    const full = {
      creator_id: "other",
      placement_types: ["product_mention", "product_mention"],
      revenue_share_pct: 33.33,
      max_ads_per_session: 50,
      blocked_advertisers: ["adv_1"],
      blocked_categories: ["Gambling"],
    };
    const replaced = await caller.post("/placements/game-1", full).expect(201);
    expect(replaced.body).toEqual({ ...created.body, ...full, placement_types: ["product_mention"] });
    await caller.delete("/placements/game-1").expect(204);
    await caller.delete("/placements/game-1").expect(204);
    await caller.get("/placements/game-1").expect(200, { ...replaced.body, is_active: false });
    const patched = await caller.patch("/placements/game-1", { revenue_share_pct: 0 }).expect(200);
    expect(patched.body).toMatchObject({ is_active: false, revenue_share_pct: 0 });
    const again = await caller.post("/placements/game-1", body).expect(201);
    expect(again.body).toEqual({ ...replaced.body, ...body, revenue_share_pct: 0 });
  });

  it.each(["enabled", "disabled"])("keep settings that a POST does not name: %s", async (state) => {
    const path = `/placements/${state}`;
    const settings = {
      revenue_share_pct: 33.33,
      max_ads_per_session: 50,
      blocked_advertisers: ["adv_1"],
      blocked_categories: ["Gambling"],
    };
    const created = await caller.post(path, { ...body, ...settings }).expect(201);
    if (state === "disabled") await caller.delete(path).expect(204);
    // A game server at its next start.
    const kept = await caller.post(path, body).expect(201);
    expect(kept.body).toEqual(created.body);
    const one = await caller.post(path, { ...body, max_ads_per_session: 2 }).expect(201);
    expect(one.body).toEqual({ ...created.body, max_ads_per_session: 2 });
    const nulls = Object.fromEntries(Object.keys(settings).map((name) => [name, null]));
    const reset = await caller.post(path, { ...body, ...nulls }).expect(201);
    expect(reset.body).toMatchObject({
      revenue_share_pct: 70,
      max_ads_per_session: 10,
      blocked_advertisers: [],
      blocked_categories: [],
    });
    const fresh = await caller.post(`${path}-new`, { ...body, ...nulls }).expect(201);
    expect(fresh.body).toMatchObject({ revenue_share_pct: 70, max_ads_per_session: 10 });
  });

  it("change by PATCH; null goes back to the default", async () => {
    await caller
      .post("/placements/game-2", { ...body, revenue_share_pct: 10, blocked_categories: ["a"] })
      .expect(201);
    const changed = await caller.patch("/placements/game-2", { max_ads_per_session: 1 }).expect(200);
    expect(changed.body).toMatchObject({ max_ads_per_session: 1, revenue_share_pct: 10 });
    const reset = await caller
      .patch("/placements/game-2", {
        max_ads_per_session: null,
        revenue_share_pct: null,
        blocked_categories: null,
      })
      .expect(200);
    expect(reset.body).toMatchObject({
      max_ads_per_session: 10,
      revenue_share_pct: 70,
      blocked_categories: [],
    });
    await caller.patch("/placements/game-2", { placement_types: null }).expect(400);
    await caller.patch("/placements/game-2", { placement_types: [] }).expect(422);
    await caller.patch("/placements/game-2", {}).expect(200, reset.body);
  });

  const refused: [string, object, number, string][] = [
    ["no creator", { creator_id: undefined }, 400, "creator_id is required"],
    ["no types", { placement_types: undefined }, 400, "placement_types is required"],
    ["types no list", { placement_types: "narrative_hook" }, 400, "placement_types"],
    ["empty types", { placement_types: [] }, 422, "placement_types"],
    ["an unknown type", { placement_types: ["banner"] }, 422, "placement_types[0]"],
    ["a share above", { revenue_share_pct: 100.01 }, 422, "from 0 to 100"],
    ["a share below", { revenue_share_pct: -0.01 }, 422, "from 0 to 100"],
    ["three decimals", { revenue_share_pct: 33.333 }, 422, "two decimals"],
    ["a share as text", { revenue_share_pct: "70" }, 400, "revenue_share_pct"],
    ["no ads", { max_ads_per_session: 0 }, 422, "from 1 to 50"],
    ["too many ads", { max_ads_per_session: 51 }, 422, "from 1 to 50"],
    ["a blank category", { blocked_categories: [""] }, 400, "blocked_categories[0]"],
    ["too many advertisers", { blocked_advertisers: Array(101).fill("adv_1") }, 422, "100"],
    ["a blank advertiser", { blocked_advertisers: ["adv_1", " "] }, 400, "blocked_advertisers[1]"],
  ];
  it.each(refused)("are refused with %s", async (_name, changes, status, part) => {
    const answer = await caller.post("/placements/game-3", { ...body, ...changes }).expect(status);
    expect(answer.body.detail).toContain(part);
  });

  it("block advertisers by their ids alone", async () => {
    const path = "/placements/game-4";
    const known = { ...body, blocked_advertisers: ["adv_01kbgy2v6qf8r3c5s9t1w4x7za", "adv_2"] };
    const created = await caller.post(path, known).expect(201);
    expect(created.body.blocked_advertisers).toEqual(known.blocked_advertisers);
    for (const name of ["Ember", " adv_1", "ADV_1", "camp_1"]) {
      const blocked_advertisers = ["adv_1", name];
      for (const answer of [
        await caller.post(path, { ...body, blocked_advertisers }),
        await caller.patch(path, { blocked_advertisers }),
      ]) {
        expect([answer.status, answer.body.detail]).toEqual([
          422,
          expect.stringContaining(
            "blocked_advertisers[1] must be the identifier of an advertiser, which begins with adv_",
          ),
        ]);
      }
    }
    await caller.patch(path, { blocked_advertisers: ["adv_1", 7] }).expect(400);
    await caller.get(path).expect(200, created.body);
  });

  it("refuse fields of the answer in a PATCH, unless they are as they stand, and ignore them in a POST", async () => {
    const path = "/placements/game-5";
    const ignored = { is_active: false, created_at: "2020-01-01T00:00:00.000Z", game_id: "other" };
    const { body: placement } = await caller.post(path, { ...body, ...ignored }).expect(201);
    expect(placement).toMatchObject({ game_id: "game-5", is_active: true });
    await caller.delete(path).expect(204);
    const on = await caller.patch(path, { is_active: true, max_ads_per_session: 3 }).expect(422);
    expect(on.body.detail).toContain("enable ads by POST /placements/{game_id}");
    await caller.get(path).expect(200, { ...placement, is_active: false });
    await caller.patch(path, { creator_id: "another" }).expect(422);
    await caller.patch(path, { ...placement, is_active: false, max_ads_per_session: 3 }).expect(200);
  });

  it.each([0.07, 0.29, 1.15, 33.33, 69.99, 100, 0])("take the share of %d %%", async (share) => {
    const answer = await caller.post("/placements/shares", { ...body, revenue_share_pct: share }).expect(201);
    expect(answer.body.revenue_share_pct).toBe(share);
  });

  it("belong to one account", async () => {
    await caller.post("/placements/mine", body).expect(201);
    const stranger = await harness.caller();
    await stranger.post("/placements/mine", { creator_id: 5 }).expect(403);
    await stranger.get("/placements/mine").expect(403);
    await stranger.patch("/placements/mine", { placement_types: 5 }).expect(403);
    await stranger.delete("/placements/mine").expect(403);
    await stranger.get("/placements/Mine").expect(404);
    await stranger.patch("/placements/none", {}).expect(404);
    await stranger.delete("/placements/none").expect(404);
    await stranger.get("/creator-revenue/mine").expect(403);
    await stranger.get("/creator-revenue/none").expect(404);
  });

  it("go to one of two accounts that ask at once", async () => {
    const stranger = await harness.caller();
    const answers = await Promise.all(
      [caller, stranger, caller, stranger].map((one) => one.post("/placements/raced", body)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403]);
  });

  it("have any text as game, but no control characters and at most 200 characters", async () => {
    const strange = encodeURIComponent("Spiel {1}/ä 🎲 %");
    const made = await caller.post(`/placements/${strange}`, body).expect(201);
    expect(made.body.game_id).toBe("Spiel {1}/ä 🎲 %");
    await caller.get(`/placements/${strange}`).expect(200);
    await caller.post(`/placements/${"x".repeat(200)}`, body).expect(201);
    await caller.post(`/placements/${"x".repeat(201)}`, body).expect(422);
    // Line and paragraph separators are space, but no control characters.
    for (const separated of ["\u2028game", "\u2029 game", "\u2028\u2029x"]) {
      const path = `/placements/${encodeURIComponent(separated)}`;
      expect((await caller.post(path, body).expect(201)).body.game_id).toBe(separated);
    }
    for (const bad of ["%00", "a%0Ab", "%20", "%E2%80%A8", "%E2%80%A8%0Aa"]) {
      await caller.post(`/placements/${bad}`, body).expect(400);
      await caller.get(`/placements/${bad}`).expect(404);
    }
    await caller.get("/placements/%ff").expect(400);
  });
});
