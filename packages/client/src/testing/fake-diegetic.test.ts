import { describe, expect, it } from "@jest/globals";
import type { Match, NewPlacement, Scene } from "../index.ts";
import { FakeDiegetic } from "./fake-diegetic.ts";

const SCENE = { game_id: "game", user_id: "player", game_context: { location: "tavern" } };

describe("FakeDiegetic", () => {
  it("serves each scene an ad and bills it once", async () => {
    const diegetic = new FakeDiegetic();
    const client = diegetic.client();
    diegetic.serveAd({ narrative_hook: "A raven caws: Hearthwell!" });
    const match = await client.match(SCENE);
    expect(match).toMatchObject({ narrative_hook: "A raven caws: Hearthwell!", game_id: "game" });
    if (match === null) return;
    client.recordImpression(match);
    await client.flush();
    client.recordImpression(match);
    expect(await client.close()).toBe(0);
    expect(diegetic.scenes).toEqual([SCENE]);
    expect(diegetic.impressions).toEqual([
      { match_id: "match-1", campaign_id: "camp-1", creative_id: "crt-1", game_id: "game" },
    ]);
  });

  it("serves no ad, fails, and recovers as the test says", async () => {
    const diegetic = new FakeDiegetic();
    const client = diegetic.client({ matchBudgetMs: 20 });
    const match = await client.match(SCENE);
    if (match === null) throw new Error("no ad");
    diegetic.serveNoAd();
    expect(await client.match(SCENE)).toBeNull();
    diegetic.fail("timeout");
    expect(await client.match(SCENE)).toBeNull();
    diegetic.fail();
    expect(await client.match(SCENE)).toBeNull();
    client.recordImpression(match);
    expect(await client.flush({ timeoutMs: 20 })).toBe(1);
    diegetic.serveAd();
    expect(await client.close()).toBe(0);
    expect(diegetic.impressions).toHaveLength(1);
    expect(diegetic.scenes).toEqual([SCENE, SCENE, SCENE, SCENE]);
  });

  it.each([
    [{ user_id: "player", game_context: {} }, "game_id is required: it must be text that is not blank"],
    [{ ...SCENE, user_id: null }, "user_id is required: it must be text that is not blank"],
    [{ ...SCENE, user_id: " " }, "user_id must be text that is not blank"],
    [{ game_id: "game", user_id: "player" }, "game_context is required: it must be an object"],
    [{ ...SCENE, game_context: [] }, "game_context must be an object"],
  ])("refuses the scene %j as the service does", async (scene, detail) => {
    const events: unknown[] = [];
    const diegetic = new FakeDiegetic();
    const client = diegetic.client({ onEvent: (event) => events.push(event) });
    diegetic.serveNoAd();
    expect(await client.match(scene as unknown as Scene)).toBeNull();
    expect(events).toEqual([{ type: "match_failed", status: 400, detail }]);
    expect(diegetic.scenes).toEqual([scene]);
    await client.close();
  });

  it("enables a game", async () => {
    const client = new FakeDiegetic().client();
    const body = { creator_id: "me", placement_types: ["narrative_hook" as const] };
    expect(await client.api.enablePlacement({ game_id: "a/b", body })).toMatchObject({
      game_id: "a/b",
      ...body,
      is_active: true,
    });
    await client.close();
  });

  it("enables no game without a required field", async () => {
    const client = new FakeDiegetic().client();
    const body = { creator_id: "me" } as unknown as NewPlacement;
    await expect(client.api.enablePlacement({ game_id: "game", body })).rejects.toMatchObject({
      status: 400,
      detail: "placement_types is required: it must be a list",
    });
    await client.close();
  });

  it("bills no impression without a required field", async () => {
    const events: unknown[] = [];
    const diegetic = new FakeDiegetic();
    const client = diegetic.client({ onEvent: (event) => events.push(event) });
    const match = await client.match(SCENE);
    client.recordImpression({ ...match, game_id: "" } as Match);
    await client.close();
    const detail = "game_id must be text that is not blank";
    expect(events).toMatchObject([{ type: "impression_rejected", status: 400, detail }]);
    expect(diegetic.impressions).toEqual([]);
  });

  it("bills no ad that it did not serve", async () => {
    const types: string[] = [];
    const diegetic = new FakeDiegetic();
    const client = diegetic.client({ onEvent: ({ type }) => types.push(type) });
    client.recordImpression({ match_id: "other", campaign_id: "c", creative_id: "c", game_id: "game" });
    await client.close();
    expect(types).toEqual(["impression_rejected"]);
    expect(diegetic.impressions).toEqual([]);
  });
});
