import { newId } from "@diegetic/contracts";
import { undocumented } from "@diegetic/testing/documented";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { BASE_PATH, type ComposedApi, startComposedApi } from "../contract/composed-api.fixture.ts";

let api: ComposedApi;
beforeAll(async () => {
  api = await startComposedApi({ RATE_LIMIT_MATCH_PER_GAME: "unlimited" });
});
afterAll(() => api.stop());

const placement = { creator_id: "studio", placement_types: ["narrative_hook"] };

/** Calls the API as any client would; every answer is one that the document allows. */
async function call(key: string, method: string, path: string, body?: unknown) {
  const answer = await api.send({
    method,
    path: `${BASE_PATH}${path}`,
    headers: {
      Authorization: `Bearer ${key}`,
      ...(body !== undefined && { "Content-Type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(undocumented(answer)).toBeUndefined();
  return { status: answer.status, body: answer.text === "" ? undefined : JSON.parse(answer.text) };
}

async function developerWith(...games: string[]): Promise<{ key: string; accountId: string }> {
  const account = await api.newAccount();
  for (const game of games) {
    const { status } = await call(account.key, "POST", `/placements/${game}`, placement);
    expect(status).toBe(201);
  }
  return account;
}

const request = (gameId: string, context: object, more: object = {}) => ({
  game_id: gameId,
  user_id: newId("acct"),
  game_context: context,
  ...more,
});

describe("traffic of a game", () => {
  it("goes from waiting to billed, with reasons, errors and scenes on its way", async () => {
    const { key } = await developerWith("ash");
    const gameNow = async () => (await call(key, "GET", "/traffic")).body.games[0];
    const waiting = await call(key, "GET", "/traffic");
    expect(waiting.body).toMatchObject({ last_call_at: null, errors: [] });
    expect(waiting.body.games).toMatchObject([{ game_id: "ash", stage: "waiting", last_request_at: null }]);

    const place = { country_code: "de", city_name: "Aachen", lat: 50.77, lng: 6.08 };
    const player = { user_id: "player-4711", session_id: "evening-1", player_geo: place };
    const context = { location: "Crypt", mood_tags: ["tense"], narrative: "player-4711 lights a torch." };
    expect((await call(key, "POST", "/match", request("ash", context, player))).status).toBe(204);
    expect((await call(key, "POST", "/match", { game_id: "ash" })).status).toBe(400);
    const seen = { campaign_id: newId("camp"), creative_id: newId("crt"), game_id: "ash" };
    expect((await call(key, "POST", "/impressions", seen)).status).toBe(404);
    await eventually(async () => (await gameNow()).stage === "requested");
    await eventually(async () => (await call(key, "GET", "/traffic")).body.errors.length === 2);
    const { errors } = (await call(key, "GET", "/traffic")).body;
    expect(errors).toMatchObject([
      { operation: "match", status: 400, count: 1 },
      { operation: "impressions", status: 404, count: 1 },
    ]);

    const scenes = await call(key, "GET", "/traffic/ash/no-match-scenes");
    expect(scenes.body).toEqual([
      {
        game_id: "ash",
        at: expect.any(String),
        reason: "no_campaigns",
        country_code: "DE",
        game_context: {
          location: "Crypt",
          mood_tags: ["tense"],
          narrative: "[player] lights a torch.",
        },
      },
    ]);
    expect((await call(key, "GET", "/no-match-scenes")).body).toEqual(scenes.body);
    for (const part of ["4711", "evening", "Aachen", "50.77"]) {
      expect(JSON.stringify(scenes.body)).not.toContain(part);
    }

    const profile = { company_name: "Ember", contact_email: `${newId("acct")}@example.com` };
    await call(key, "POST", "/register", profile);
    await call(key, "POST", "/deposit", { amount_cents: 5_000 });
    const { body: campaign } = await call(key, "POST", "/campaigns", {
      name: "c",
      budget_cents: 1_000,
      cpm_bid_cents: 1_000,
      target_tags: ["crypt"],
    });
    // The scene that got no ad explains the campaign as it is.
    const [{ game_id, game_context, country_code }] = scenes.body;
    const explained = await call(key, "POST", `/campaigns/${campaign.id}/explain`, {
      ...{ game_id, game_context, user_id: "x" },
      player_geo: { country_code },
    });
    expect([explained.status, explained.body.would_serve]).toEqual([200, false]);
    const creative = { creative_type: "narrative_hook", brand_name: "E", narrative_hook: "Ember." };
    await call(key, "POST", `/campaigns/${campaign.id}/creatives`, creative);
    await call(key, "POST", `/campaigns/${campaign.id}/activate`);
    const match = await call(key, "POST", "/match", request("ash", { location: "crypt" }));
    expect(match.status).toBe(200);
    await eventually(async () => (await gameNow()).stage === "matched");
    const { campaign_id, creative_id, match_id } = match.body;
    const impression = { campaign_id, creative_id, match_id, game_id: "ash" };
    expect((await call(key, "POST", "/impressions", impression)).status).toBe(201);
    await eventually(async () => {
      const game = await gameNow();
      return game.stage === "billed" && game.impressions === 1;
    });
    expect(await gameNow()).toMatchObject({
      requests: 2,
      matches: 1,
      impressions: 1,
      errors: 1,
      billed_impressions: 1,
      earned_microcents: 700_000,
    });

    for (const [query, length] of [
      ["", 24],
      ["?unit=hour&count=2", 2],
      ["?unit=day", 30],
      ["?unit=day&count=31", 31],
    ] as const) {
      const { body } = await call(key, "GET", `/traffic/ash${query}`);
      expect(body.points).toHaveLength(length);
      const sum = (name: string) =>
        body.points.reduce((total: number, point: Record<string, number>) => total + (point[name] ?? 0), 0);
      expect([query, sum("requests"), sum("matches"), sum("impressions")]).toEqual([query, 2, 1, 1]);
      expect(JSON.stringify(body.points)).toContain('"no_match":{"no_campaigns":1}');
      expect(JSON.stringify(body.points)).toContain('"errors":{"impressions_404":1}');
    }
    expect((await call(key, "GET", "/traffic/ash?unit=day&count=32")).status).toBe(422);

    const words = await call(key, "GET", "/traffic/ash/words");
    expect(words.body.sent).toEqual([
      { type: "location", value: "crypt", scenes: 2, is_targeted: true },
      { type: "mood", value: "tense", scenes: 1, is_targeted: false },
    ]);
  });

  it("counts calls that a limit refused, too", async () => {
    const { key } = await developerWith("birch");
    const { body: limited } = await call(key, "POST", "/api-keys", {
      label: "limited",
      scopes: ["serving"],
      rate_limit_per_minute: 1,
    });
    await eventually(
      async () => (await call(limited.key, "POST", "/match", request("birch", {}))).status === 429,
    );
    await eventually(async () => {
      const { errors } = (await call(key, "GET", "/traffic")).body;
      return errors[0]?.operation === "match" && errors[0]?.status === 429;
    });
  });

  it("is nobody else's", async () => {
    const owner = await developerWith("cedar");
    const stranger = await developerWith();
    await call(owner.key, "POST", "/match", request("cedar", { location: "vault" }));
    await eventually(async () => (await call(owner.key, "GET", "/no-match-scenes")).body.length === 1);
    for (const path of ["/traffic", "/no-match-scenes", "/market/words"]) {
      const { status, body } = await call(stranger.key, "GET", path);
      expect([path, status, JSON.stringify(body).includes("vault")]).toEqual([path, 200, false]);
      expect(JSON.stringify(body)).not.toContain("cedar");
    }
    for (const path of ["", "/no-match-scenes", "/words"]) {
      expect((await call(stranger.key, "GET", `/traffic/cedar${path}`)).status).toBe(403);
      expect((await call(stranger.key, "GET", `/traffic/nowhere${path}`)).status).toBe(404);
    }
  });
});
