import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { type Market, startCampaign, startMarket } from "./two-match-instances.fixture.ts";

/**
 * What an advertiser sets over HTTP is what both match instances do, from the answer on: nothing here waits between the
 * answer of a change and the next match.
 */
let market: Market;
let manage: ReturnType<Market["manage"]>;
let gameKey: string;
let gameId: string;
let games = 0;
let players = 0;
let campaignId: string;
let creativeId: string;

beforeAll(async () => {
  market = await startMarket();
  manage = market.manage(await market.newKey());
  gameKey = await market.newKey();
  await manage("post", "/register", { company_name: "Ember", contact_email: "a@example.com" }).expect(201);
  await manage("post", "/deposit", { amount_cents: 1_000_000 }).expect(200);
});
afterAll(() => market.stop());
/** Each test has an active campaign of its own; that of the test before is paused. */
beforeEach(async () => {
  if (campaignId !== undefined) await manage("post", `/campaigns/${campaignId}/pause`).expect(200);
  gameId = `game-${games++}`;
  const placement = { creator_id: "c", placement_types: ["narrative_hook"], max_ads_per_session: 50 };
  await market.manage(gameKey)("post", `/placements/${gameId}`, placement).expect(201);
  ({ campaignId, creativeId } = await startCampaign(manage, 500));
});

interface Scene {
  player_geo?: object;
  game_context?: object;
}
/** One match on each instance, by a new player. */
function match({ player_geo, game_context = {} }: Scene = {}) {
  const player = `player-${players++}`;
  return market.match(gameKey, { game_id: gameId, user_id: player, player_geo, game_context });
}
async function expectServed(scene: Scene, served: boolean): Promise<void> {
  const expected = served
    ? { status: 200, reason: undefined, campaign: campaignId }
    : {
        status: 204,
        reason: expect.stringMatching(/^no_(eligible_campaign|campaigns)$/),
        campaign: undefined,
      };
  const answers = await match(scene);
  for (const { status, reason, body } of answers) {
    expect({ scene, status, reason, campaign: body.campaign_id }).toEqual({ scene, ...expected });
  }
}
const at = (player_geo: object): Scene => ({ player_geo });
const scene = (game_context: object): Scene => ({ game_context });
const add = async (part: string, body: object): Promise<string> =>
  (await manage("post", `/campaigns/${campaignId}/${part}`, body).expect(201)).body.id;
const remove = (part: string, id: string) =>
  manage("delete", `/campaigns/${campaignId}/${part}/${id}`).expect(204);

describe("geo targets decide where a campaign is shown", () => {
  const germany = at({ country_code: "de" });
  const france = at({ country_code: "FR" });
  const nowhere: Scene = {};
  const berlin = { country_code: "DE", lat: 52.52, lng: 13.405 };

  const cases: [string, object, Scene[], Scene[]][] = [
    ["a country", { target_type: "country", country_code: "de" }, [germany], [france, nowhere]],
    [
      "a state",
      { target_type: "state", country_code: "US", state_code: "CA" },
      [at({ country_code: "us", state_code: "ca" })],
      [at({ country_code: "US", state_code: "NY" }), at({ country_code: "CO", state_code: "CA" }), nowhere],
    ],
    [
      "a city, without case and accents",
      { target_type: "city", country_code: "FR", city_name: "Orléans" },
      [at({ country_code: "FR", city_name: "ORLEANS" })],
      [
        at({ country_code: "FR", city_name: "Orly" }),
        at({ country_code: "US", city_name: "Orléans" }),
        france,
      ],
    ],
    [
      "a radius",
      { target_type: "radius", lat: 52.4, lng: 13.07, radius_km: 30 },
      [at(berlin), at({ lat: 52.4, lng: 13.07 })],
      [at({ country_code: "DE", lat: 53.55, lng: 9.99 }), germany],
    ],
  ];
  it.each(cases)("%s: included, and excluded", async (_name, target, inside, outside) => {
    const type = (target as { target_type: string }).target_type;
    const include = await add("geo-targets", target);
    for (const one of inside) await expectServed(one, true);
    for (const one of outside) await expectServed(one, false);
    const turned = await manage("post", `/campaigns/${campaignId}/geo-targets`, {
      ...target,
      include: false,
    });
    expect([type, turned.status]).toEqual([type, 422]);
    await remove("geo-targets", include);
    for (const one of [...inside, ...outside]) await expectServed(one, true);
    const exclude = await add("geo-targets", { ...target, include: false });
    for (const one of inside) await expectServed(one, false);
    for (const one of outside) await expectServed(one, true);
    await remove("geo-targets", exclude);
    for (const one of inside) await expectServed(one, true);
  });

  it("several includes combine with OR, and an exclude wins", async () => {
    await add("geo-targets", { target_type: "country", country_code: "DE" });
    await expectServed(france, false);
    await add("geo-targets", { target_type: "country", country_code: "FR" });
    await expectServed(france, true);
    await expectServed(at(berlin), true);
    const exclude = { target_type: "radius", lat: 52.52, lng: 13.4, radius_km: 10, include: false };
    const id = await add("geo-targets", exclude);
    await expectServed(at(berlin), false);
    await expectServed(germany, true);
    await remove("geo-targets", id);
    await expectServed(at(berlin), true);
  });
});

describe("a blocklist rule keeps a campaign out", () => {
  const cases: [string, object, object[], object[]][] = [
    [
      "keyword: whole words in any text",
      { rule_type: "keyword", value: "Civil War" },
      [{ narrative: "The civil-war begins" }, { location: "CIVIL WAR camp" }, { mood_tags: ["civil war"] }],
      [{ narrative: "civil warmth" }, { narrative: "civil", location: "war" }],
    ],
    ["theme", { rule_type: "theme", value: " Horror " }, [{ theme_id: "horror" }], [{ narrative: "horror" }]],
    ["category", { rule_type: "category", value: "RPG" }, [{ category: "rpg" }], [{ category: "puzzle" }]],
    [
      "action",
      { rule_type: "action", value: "smoke" },
      [{ actions: ["run", "Smoke"] }],
      [{ actions: ["run"] }],
    ],
  ];
  it.each(cases)("%s", async (_name, rule, blocked, free) => {
    for (const one of blocked) await expectServed(scene(one), true);
    const id = await add("blocklist", rule);
    for (const one of blocked) await expectServed(scene(one), false);
    for (const one of free) await expectServed(scene(one), true);
    await remove("blocklist", id);
    for (const one of blocked) await expectServed(scene(one), true);
  });

  it("game_id, exactly", async () => {
    const other = await add("blocklist", { rule_type: "game_id", value: gameId.toUpperCase() });
    await expectServed({}, true);
    const id = await add("blocklist", { rule_type: "game_id", value: gameId });
    await expectServed({}, false);
    await remove("blocklist", id);
    await expectServed({}, true);
    await remove("blocklist", other);
  });
});

describe("explicit targets filter", () => {
  it.each([
    ["target_tags", "tavern", { location: "Tavern" }, { location: "castle" }],
    ["target_tags", "old tavern", { narrative: "in the old tavern, at night" }, { narrative: "old taverns" }],
    ["target_categories", "rpg", { category: "RPG" }, { narrative: "rpg" }],
  ])("%s: %s", async (field, value, inside, outside) => {
    const patch = (body: object) => manage("patch", `/campaigns/${campaignId}`, body).expect(200);
    await patch({ [field]: [value] });
    await expectServed(scene(inside), true);
    await expectServed(scene(outside), false);
    await patch({ [field]: null });
    await expectServed(scene(outside), true);
  });
});

describe("a campaign whose budget does not cover one impression", () => {
  it("becomes active and does not serve: match, explanation and pacing say why", async () => {
    const path = `/campaigns/${campaignId}`;
    await manage("post", `${path}/pause`).expect(200);
    await manage("patch", path, { budget_cents: 9, cpm_bid_cents: 10_000 }).expect(200);
    const { body } = await manage("post", `${path}/activate`).expect(200);
    expect(body).toMatchObject({ status: "active", budget_cents: 9 });
    const refused = await match();
    expect(refused.map(({ status, reason }) => [status, reason])).toEqual([
      [204, "budget"],
      [204, "budget"],
    ]);
    const request = { game_id: gameId, user_id: "player", game_context: {} };
    const explained = await manage("post", `${path}/explain`, request).expect(200);
    const failed = explained.body.checks.filter((check: { passed: boolean }) => !check.passed);
    expect(failed.map((check: { rule: string }) => check.rule)).toEqual(["budget"]);
    const pacing = await manage("get", `${path}/analytics/pacing`).expect(200);
    expect(pacing.body.pacing_status).toBe("exhausted");
    await manage("patch", path, { budget_cents: 20 }).expect(200);
    await expectServed({}, true);
  });
});

describe("affinities score and bias", () => {
  const bulk = (affinities: object[]) =>
    manage("put", `/campaigns/${campaignId}/affinities/bulk`, { affinities }).expect(200);
  const tavern = { affinity_type: "location", affinity_value: "Tavern", weight: 2 };
  const dim = { affinity_type: "lighting", affinity_value: "dim", weight: 0.5 };
  const calm = { affinity_type: "mood", affinity_value: "calm" };
  const answered = async (context: object) =>
    (await match(scene(context))).map(({ body }) => [body.affinity_score, body.biased_pipeline]);
  const twice = (score: number, pipeline: object) => [
    [score, pipeline],
    [score, pipeline],
  ];

  it("as soon as they are set, by one, in bulk and deleted", async () => {
    const context = { location: "tavern", narrative: "a dim hall", mood_tags: ["CALM"] };
    expect(await answered(context)).toEqual(twice(0, {}));
    await bulk([tavern, dim]);
    expect(await answered(context)).toEqual(twice(2.5, { location: "Tavern", lighting: "dim" }));
    const id = await add("affinities", calm);
    const all = { location: "Tavern", lighting: "dim", mood: "calm" };
    expect(await answered(context)).toEqual(twice(3.5, all));
    expect(await answered({ narrative: "calm, near the tavern" })).toEqual(twice(1.5, all));
    await remove("affinities", id);
    expect(await answered(context)).toEqual(twice(2.5, { location: "Tavern", lighting: "dim" }));
    await bulk([]);
    expect(await answered(context)).toEqual(twice(0, {}));
  });

  it("of equal weights the older one biases, within a bulk list the earlier one", async () => {
    const camera = (affinity_value: string, weight = 1) => ({
      affinity_type: "camera",
      affinity_value,
      weight,
    });
    const made = (await bulk([camera("z"), camera("a"), camera("m")])).body;
    expect(await answered({})).toEqual(twice(0, { camera: "z" }));
    await add("affinities", camera("b"));
    await remove("affinities", made[0].id);
    expect(await answered({})).toEqual(twice(0, { camera: "a" }));
    await add("affinities", camera("heavy", 1.1));
    expect(await answered({})).toEqual(twice(0, { camera: "heavy" }));
  });

  it("let a lower bid win: rank is bid × (1 + score ÷ (1 + score))", async () => {
    const context = { location: "tavern" };
    const other = await startCampaign(manage, 800);
    const winners = async () => (await match(scene(context))).map(({ body }) => body.campaign_id);
    expect(await winners()).toEqual([other.campaignId, other.campaignId]);
    const id = await add("affinities", tavern);
    expect(await winners()).toEqual([campaignId, campaignId]);
    await remove("affinities", id);
    expect(await winners()).toEqual([other.campaignId, other.campaignId]);
    await manage("post", `/campaigns/${other.campaignId}/pause`).expect(200);
  });

  it("never let a bid win against more than double, however many the scene satisfies", async () => {
    const other = await startCampaign(manage, 1_020);
    const words = Array.from({ length: 50 }, (_, n) => `word${n}`);
    await bulk(words.map((word) => ({ affinity_type: "action", affinity_value: word, weight: 3 })));
    const served = await match(scene({ actions: words }));
    expect(served.map(({ body }) => body.campaign_id)).toEqual([other.campaignId, other.campaignId]);
    await manage("post", `/campaigns/${other.campaignId}/pause`).expect(200);
    const alone = await match(scene({ actions: words }));
    expect(alone.map(({ body }) => body.affinity_score)).toEqual([150, 150]);
    await bulk([]);
  });

  it("are simulated as they are matched", async () => {
    await bulk([
      tavern,
      dim,
      calm,
      { affinity_type: "theme", affinity_value: "quest", weight: 0.7 },
      { affinity_type: "action", affinity_value: "fight", weight: 0.3 },
      { affinity_type: "category", affinity_value: "rpg" },
    ]);
    const path = `/campaigns/${campaignId}/simulate`;
    const { moods, narrative_examples } = (await manage("get", `${path}/options`).expect(200)).body;
    const functions: string[] = [...narrative_examples, "a fight in a dim tavern", "Quest", "calm"];
    for (const [index, text] of functions.entries()) {
      const mood = moods[index % moods.length];
      const simulated = await manage("post", path, { narrative_function: text, mood }).expect(200);
      const matched = await match(
        scene({ narrative: text, theme_id: text, location: text, actions: [text], mood_tags: [mood] }),
      );
      for (const { body } of matched) {
        expect(simulated.body).toMatchObject({
          total_score: body.affinity_score,
          biased_pipeline: body.biased_pipeline,
          matched_creative: { id: creativeId, narrative_hook: body.narrative_hook },
        });
      }
    }
  });
});

describe("changes are in force once their response is sent", () => {
  it("with pause, activation, disabling and enabling", async () => {
    const path = `/campaigns/${campaignId}`;
    await expectServed({}, true);
    await manage("post", `${path}/pause`).expect(200);
    await expectServed({}, false);
    await manage("post", `${path}/activate`).expect(200);
    await expectServed({}, true);
    await manage("patch", path, { start_date: "2999-01-01" }).expect(200);
    await expectServed({}, false);
    await manage("patch", path, { start_date: "2000-01-01" }).expect(200);
    await expectServed({}, true);

    const develop = market.manage(gameKey);
    await develop("delete", `/placements/${gameId}`).expect(204);
    for (const { status, reason } of await match()) {
      expect([status, reason]).toEqual([204, "placement_disabled"]);
    }
    const placement = { creator_id: "c", placement_types: ["narrative_hook"] };
    await develop("post", `/placements/${gameId}`, placement).expect(201);
    await expectServed({}, true);
  });

  it("also when rules come and go as fast as they can", async () => {
    const blocked = scene({ theme_id: "horror" });
    for (let round = 0; round < 25; round++) {
      const id = await add("blocklist", { rule_type: "theme", value: "horror" });
      await expectServed(blocked, false);
      await remove("blocklist", id);
      await expectServed(blocked, true);
    }
  });
});
