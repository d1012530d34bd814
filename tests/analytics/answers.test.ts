import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { campaignBody, creativeBody } from "../../services/management/src/testing/harness.ts";
import { type Advertiser, AnalyticsWorld, DAY_MS, NOON_MS, type Seen } from "./world.fixture.ts";

let world: AnalyticsWorld;
let owner: Advertiser;
let campaignId: string;
/** The second one is deleted after it had impressions, the third one before, the fourth has none. */
let creatives: string[];
let affinities: string[];

const newAffinity = { affinity_type: "mood", affinity_value: "calm", weight: 1.5 };

async function createCreative(): Promise<string> {
  return (await owner.post(`/campaigns/${campaignId}/creatives`, creativeBody).expect(201)).body.id;
}
async function createAffinity(body: object = newAffinity): Promise<string> {
  return (await owner.post(`/campaigns/${campaignId}/affinities`, body).expect(201)).body.id;
}
async function see(...list: Partial<Seen>[]): Promise<void> {
  const usual = { campaignId, creativeId: creatives[0] ?? "", gameId: "game-a", priceMillicents: 333 };
  await world.see(...list.map((seen) => ({ ...usual, developerAccountId: "acct_dev", ...seen })));
}
const contributed = (affinity: number, contribution: number) => ({
  affinity_id: affinities[affinity] ?? "",
  contribution,
});

beforeAll(async () => {
  world = await AnalyticsWorld.open();
  owner = await world.harness.advertiser(1_000);
  campaignId = (await owner.post("/campaigns", { ...campaignBody, cpm_bid_cents: 333 }).expect(201)).body.id;
  creatives = [
    await createCreative(),
    await createCreative(),
    await createCreative(),
    await createCreative(),
  ];
  affinities = [await createAffinity()];
  await see(
    {
      user: "ann",
      countryCode: "US",
      recordedAtMs: NOON_MS - 2 * DAY_MS,
      contributions: [contributed(0, 1.5)],
    },
    { user: "ann", countryCode: "DE", gameId: "game-b", contributions: [contributed(0, 0.75)] },
    { user: "bob", creativeId: creatives[1] ?? "", gameId: "game-b" },
    { user: "bob", creativeId: creatives[1] ?? "" },
  );
  affinities.push(await createAffinity({ affinity_type: "camera", affinity_value: "close-up", weight: 0.1 }));
  await see({
    user: "cy",
    creativeId: creatives[1] ?? "",
    contributions: [contributed(0, 1.5), contributed(1, 0.1), { affinity_id: "aff_gone", contribution: 1 }],
  });
  affinities.push(await createAffinity({ affinity_type: "theme", affinity_value: "noir" }));
  await owner.delete(`/creatives/${creatives[1]}`).expect(204);
  await owner.delete(`/creatives/${creatives[2]}`).expect(204);
});
afterAll(() => world.stop());

const paths = [
  "stats",
  ...["daily", "creatives", "geo", "games", "affinities", "pacing"].map((name) => `analytics/${name}`),
];

describe.each(paths)("GET /campaigns/{id}/%s", (path) => {
  it("is for the campaign's own advertiser", async () => {
    const other = await world.harness.advertiser();
    await other.get(`/campaigns/${campaignId}/${path}`).expect(403);
    const stranger = await world.harness.caller();
    await stranger.get(`/campaigns/${campaignId}/${path}`).expect(403, {
      detail: "This account has no advertiser profile: register first by POST /register.",
    });
    await owner.get(`/campaigns/camp_none/${path}`).expect(404);
    await owner.post(`/campaigns/${campaignId}/${path}`, {}).expect(405);
    const serving = await world.harness.caller({ scopes: ["serving"] });
    await serving.get(`/campaigns/${campaignId}/${path}`).expect(403);
  });

  it("counts in the group of analytics", async () => {
    // In one minute: a window that ends meanwhile begins anew.
    const { limited, answer } = await eventually(async () => {
      const limited = await world.harness.caller({ rateLimitPerMinute: 1 });
      const first = await limited.get("/revenue").expect(403);
      const answer = await limited.get(`/campaigns/${campaignId}/${path}`);
      return (
        answer.headers["x-ratelimit-reset"] === first.headers["x-ratelimit-reset"] && { limited, answer }
      );
    });
    expect(answer.status).toBe(429);
    expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
    await limited.get("/profile").expect(404);
  });
});

describe("GET /campaigns/{id}/stats", () => {
  it("sums up what billing has written", async () => {
    await owner.get(`/campaigns/${campaignId}/stats`).expect(200, {
      campaign_id: campaignId,
      impressions: 5,
      unique_users: 3,
      unique_games: 2,
      spent_cents: 2,
      spent_millicents: 1_665,
      budget_cents: 10_000,
      effective_cpm_cents: 333,
      avg_affinity_score: 0.97,
      top_creative_id: creatives[1],
      top_game_id: "game-a",
    });
  });

  it("has zeros and nulls without impressions", async () => {
    const { body } = await owner.post("/campaigns", campaignBody).expect(201);
    await owner.get(`/campaigns/${body.id}/stats`).expect(200, {
      campaign_id: body.id,
      impressions: 0,
      unique_users: 0,
      unique_games: 0,
      spent_cents: 0,
      spent_millicents: 0,
      budget_cents: 10_000,
      effective_cpm_cents: 0,
      avg_affinity_score: 0,
      top_creative_id: null,
      top_game_id: null,
    });
  });
});

describe("GET /campaigns/{id}/analytics/daily", () => {
  const none = {
    impressions: 0,
    unique_users: 0,
    spent_cents: 0,
    spent_millicents: 0,
    avg_affinity_score: 0,
  };

  it("has a row per UTC day, newest first, zeros included", async () => {
    await owner.get(`/campaigns/${campaignId}/analytics/daily?days=4`).expect(200, {
      campaign_id: campaignId,
      days: [
        // 4 × 333 millicents: half up.
        {
          date: "2026-11-21",
          impressions: 4,
          unique_users: 3,
          spent_cents: 1,
          spent_millicents: 1_332,
          avg_affinity_score: 0.8375,
        },
        { date: "2026-11-20", ...none },
        {
          date: "2026-11-19",
          impressions: 1,
          unique_users: 1,
          spent_cents: 0,
          spent_millicents: 333,
          avg_affinity_score: 1.5,
        },
        { date: "2026-11-18", ...none },
      ],
    });
  });

  it.each([
    ["30 days by default", "", 30],
    ["one day at least", "?days=1", 1],
    ["365 days at most", "?days=365", 365],
  ])("has %s", async (_what, query, days) => {
    const { body } = await owner.get(`/campaigns/${campaignId}/analytics/daily${query}`).expect(200);
    expect(body.days).toHaveLength(days);
    expect(body.days[0].date).toBe("2026-11-21");
    const last = new Date(NOON_MS - (days - 1) * DAY_MS).toISOString().slice(0, 10);
    expect(body.days.at(-1).date).toBe(last);
  });

  it.each([
    [400, "abc"],
    [400, ""],
    [400, "7.5"],
    [400, "1e2"],
    [422, "0"],
    [422, "-1"],
    [422, "366"],
    [422, "99999999999999999999"],
  ])("answers %i to days=%s", async (status, days) => {
    const { body } = await owner.get(`/campaigns/${campaignId}/analytics/daily?days=${days}`).expect(status);
    expect(body).toEqual({
      detail: `days must be a whole number from 1 to 365, but "${days}" was sent`,
    });
  });
});

describe("GET /campaigns/{id}/analytics/creatives", () => {
  it("has every creative, and deleted ones that had impressions; most impressions first", async () => {
    const row = { creative_type: "narrative_hook", brand_name: creativeBody.brand_name };
    const none = {
      impressions: 0,
      unique_users: 0,
      spent_cents: 0,
      spent_millicents: 0,
      avg_affinity_score: 0,
    };
    await owner.get(`/campaigns/${campaignId}/analytics/creatives`).expect(200, {
      campaign_id: campaignId,
      creatives: [
        {
          creative_id: creatives[1],
          ...row,
          impressions: 3,
          unique_users: 2,
          spent_cents: 1,
          spent_millicents: 999,
          avg_affinity_score: 0.8667,
        },
        {
          creative_id: creatives[0],
          ...row,
          impressions: 2,
          unique_users: 1,
          spent_cents: 1,
          spent_millicents: 666,
          avg_affinity_score: 1.125,
        },
        { creative_id: creatives[3], ...row, ...none },
      ],
    });
  });

  it("is what the creatives themselves count", async () => {
    const { body } = await owner.get(`/campaigns/${campaignId}/creatives`).expect(200);
    const counts = body.map(({ id, impressions }: { id: string; impressions: number }) => [id, impressions]);
    expect(counts).toEqual([
      [creatives[0], 2],
      [creatives[3], 0],
    ]);
  });
});

describe("GET /campaigns/{id}/analytics/games", () => {
  it("has games by matches, those without an impression, and what each holds", async () => {
    const { redis } = world.harness;
    const hour = Math.floor(NOON_MS / 3_600_000);
    const counted = (back: number) => `{${owner.advertiserId}}:matched:${campaignId}:${hour - back}`;
    await redis.hset(counted(0), { "game-a": 2, "s:game-a": 1, "no%20one": 7 });
    await redis.hset(counted(23), { "game-a": 1 });
    await redis.hset(counted(24), { "game-a": 100 });
    await redis.hset(`{${owner.advertiserId}}:shares:${campaignId}`, {
      acct_dev: "5|1665",
      "g:no%20one": 1_665,
    });
    const none = { matches: 0, impressions: 0, seen_rate: 0, held_cents: 0, held_millicents: 0 };
    await owner.get(`/campaigns/${campaignId}/analytics/games`).expect(200, {
      campaign_id: campaignId,
      open_holds: 5,
      games: [
        {
          game_id: "no one",
          ...none,
          matches: 7,
          spent_cents: 0,
          spent_millicents: 0,
          held_cents: 2,
          held_millicents: 1_665,
        },
        {
          game_id: "game-a",
          ...none,
          matches: 3,
          impressions: 1,
          seen_rate: 0.3333,
          spent_cents: 1,
          spent_millicents: 999,
        },
        { game_id: "game-b", ...none, spent_cents: 1, spent_millicents: 666 },
      ],
    });
  });
});

describe("GET /campaigns/{id}/analytics/geo", () => {
  it("has countries by impressions, then by code, the unknown place last", async () => {
    await owner.get(`/campaigns/${campaignId}/analytics/geo`).expect(200, {
      campaign_id: campaignId,
      countries: [
        { country_code: "DE", impressions: 1, unique_users: 1, spent_cents: 0, spent_millicents: 333 },
        { country_code: "US", impressions: 1, unique_users: 1, spent_cents: 0, spent_millicents: 333 },
        { country_code: null, impressions: 3, unique_users: 2, spent_cents: 1, spent_millicents: 999 },
      ],
    });
  });
});

describe("GET /campaigns/{id}/analytics/affinities", () => {
  it("has every affinity in the order of creation", async () => {
    const common = { affinity_type: "mood", affinity_value: "calm", weight: 1.5 };
    await owner.get(`/campaigns/${campaignId}/analytics/affinities`).expect(200, {
      campaign_id: campaignId,
      affinities: [
        {
          affinity_id: affinities[0],
          ...common,
          match_rate: 0.6,
          avg_score_contribution: 1.25,
          impressions_influenced: 3,
        },
        {
          affinity_id: affinities[1],
          affinity_type: "camera",
          affinity_value: "close-up",
          weight: 0.1,
          match_rate: 1,
          avg_score_contribution: 0.1,
          impressions_influenced: 1,
        },
        {
          affinity_id: affinities[2],
          affinity_type: "theme",
          affinity_value: "noir",
          weight: 1,
          match_rate: 0,
          avg_score_contribution: 0,
          impressions_influenced: 0,
        },
      ],
    });
  });

  it("counts a match that was made before the affinity was created as earlier, whenever it is billed", async () => {
    const campaign = await world.draft(owner);
    const seen = { ...campaign, gameId: "game-c", developerAccountId: "acct_dev" };
    const billedBefore = await world.impression(seen);
    const billedAfter = await world.impression(seen);
    await world.bill([billedBefore]);
    const path = `/campaigns/${campaign.campaignId}/affinities`;
    const { body: affinity } = await owner.post(path, newAffinity).expect(201);
    await world.bill([billedAfter]);
    const rate = async () => {
      const { body } = await owner.get(`/campaigns/${campaign.campaignId}/analytics/affinities`).expect(200);
      return body.affinities.map((row: { match_rate: number }) => row.match_rate);
    };
    expect(await rate()).toEqual([0]);
    const contributions = [{ affinity_id: affinity.id, contribution: 1.5 }];
    await world.bill([await world.impression({ ...seen, contributions }), await world.impression(seen)]);
    expect(await rate()).toEqual([0.5]);

    const inFlight = await world.impression({ ...seen, contributions });
    await owner
      .put(`${path}/bulk`, {
        affinities: [newAffinity, { ...newAffinity, affinity_value: "tense" }],
      })
      .expect(200);
    await world.bill([inFlight]);
    expect(await rate()).toEqual([0, 0]);
  });
});
