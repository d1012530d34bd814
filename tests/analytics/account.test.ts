import { newId } from "@diegetic/contracts";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Caller } from "../../services/management/src/testing/harness.ts";
import { type Advertiser, AnalyticsWorld, DAY_MS, NOON_MS, type Seen } from "./world.fixture.ts";

let world: AnalyticsWorld;
let owner: Advertiser;
let other: Advertiser;
let developer: Caller;
let campaign: { campaignId: string; creativeId: string };
let rival: { campaignId: string; creativeId: string };

const placement = { creator_id: "studio", placement_types: ["narrative_hook"] };

/** The next page that an answer names, below the base path. */
function nextOf({ headers }: { headers: Record<string, string | undefined> }): string | undefined {
  return /^<\/api(\/[^>]+)>; rel="next"$/.exec(headers.link ?? "")?.[1];
}

beforeAll(async () => {
  world = await AnalyticsWorld.open();
  owner = await world.harness.advertiser(500_000);
  other = await world.harness.advertiser(500_000);
  developer = await world.harness.caller();
  campaign = await world.draft(owner, { name: "Ale" });
  rival = await world.draft(other);
  for (const game of ["ash", "birch"]) await developer.post(`/placements/${game}`, placement).expect(201);
  const seen = (gameId: string, daysAgo: number, more: Partial<Seen> = {}): Seen => ({
    ...campaign,
    gameId,
    developerAccountId: developer.accountId,
    recordedAtMs: NOON_MS - daysAgo * DAY_MS,
    ...more,
  });
  await world.see(
    seen("ash", 0, { priceMillicents: 501 }),
    seen("ash", 0),
    seen("birch", 0),
    seen("ash", 2, { priceMillicents: 333 }),
    // The month before, and before every default period.
    seen("ash", 25),
    seen("ash", 60),
    seen("ash", 0, rival),
  );
});
afterAll(() => world.stop());

describe("GET /analytics/daily", () => {
  it("has a row per UTC day of the account, newest first, zeros included, and the sums", async () => {
    const { body } = await owner.get("/analytics/daily?days=3").expect(200);
    expect(body).toEqual({
      days: [
        { date: "2026-11-21", impressions: 3, spent_millicents: 1_501 },
        { date: "2026-11-20", impressions: 0, spent_millicents: 0 },
        { date: "2026-11-19", impressions: 1, spent_millicents: 333 },
      ],
      today: { impressions: 3, spent_millicents: 1_501 },
      month_to_date: { impressions: 4, spent_millicents: 1_834 },
      total: { impressions: 6, spent_millicents: 2_834 },
    });
  });

  it("has 30 days by default, and the month when that is longer", async () => {
    const { body } = await owner.get("/analytics/daily").expect(200);
    expect(body.days).toHaveLength(30);
    expect(body.days[25]).toEqual({ date: "2026-10-27", impressions: 1, spent_millicents: 500 });
  });

  it("is for advertisers", async () => {
    await developer.get("/analytics/daily?days=0").expect(403);
    await owner.get("/analytics/daily?days=367").expect(422);
  });
});

describe("GET /analytics/campaigns", () => {
  it("has every campaign with a series, its pacing and what it lacks, by pages", async () => {
    const second = await owner.post("/campaigns", { name: "Cloak", budget_cents: 7, cpm_bid_cents: 100 });
    const { body, headers } = await owner.get("/analytics/campaigns?days=3&limit=1").expect(200);
    expect(body.dates).toEqual(["2026-11-19", "2026-11-20", "2026-11-21"]);
    expect(body.campaigns).toEqual([
      {
        campaign_id: second.body.id,
        name: "Cloak",
        status: "draft",
        budget_cents: 7,
        cpm_bid_cents: 100,
        daily_cap_cents: null,
        end_date: null,
        spent_millicents: 0,
        expected_spend_millicents: null,
        impressions: 0,
        creatives: 0,
        pacing_status: "not_started",
        projected_exhaustion_date: null,
        daily_spent_millicents: [0, 0, 0],
        daily_impressions: [0, 0, 0],
      },
    ]);
    const next = await owner.get(nextOf({ headers }) ?? "").expect(200);
    expect(next.body.dates).toEqual(body.dates);
    expect(next.body.campaigns).toMatchObject([
      {
        campaign_id: campaign.campaignId,
        spent_millicents: 2_834,
        impressions: 6,
        creatives: 1,
        daily_spent_millicents: [333, 0, 1_501],
        daily_impressions: [1, 0, 3],
      },
    ]);
    expect(nextOf(next)).toBeUndefined();
    await developer.get("/analytics/campaigns?cursor=bad").expect(403);
    await owner.get("/analytics/campaigns?cursor=bad").expect(400);
  });
});

describe("GET /deposits", () => {
  it("lists the caller's deposits, newest first, by pages", async () => {
    const beforeMs = Date.now();
    await owner.post("/deposit", { amount_cents: 7 }).expect(200);
    const first = await owner.get("/deposits?limit=1").expect(200);
    expect(first.body).toEqual([
      { id: expect.stringMatching(/^dep_/), amount_cents: 7, created_at: expect.stringMatching(/Z$/) },
    ]);
    // By the clock of Postgres, unlike that of this process.
    expect(Date.parse(first.body[0].created_at)).toBeGreaterThanOrEqual(beforeMs - 1);
    const next = await owner.get(nextOf(first) ?? "").expect(200);
    expect(next.body).toMatchObject([{ amount_cents: 500_000 }]);
    expect(nextOf(next)).toBeUndefined();
  });
});

describe("GET /placements", () => {
  it("lists the account's games in order of creation, disabled ones too, whole or by pages", async () => {
    const creator = await world.harness.caller();
    for (const game of ["willow", "alder", "oak"]) {
      world.nowMs += 1;
      await creator.post(`/placements/${game}`, placement).expect(201);
    }
    await creator.delete("/placements/willow").expect(204);
    const { body } = await creator.get("/placements").expect(200);
    expect(body).toMatchObject([
      { game_id: "willow", is_active: false },
      { game_id: "alder" },
      { game_id: "oak" },
    ]);
    expect(body[1]).toEqual((await creator.get("/placements/alder").expect(200)).body);
    const first = await creator.get("/placements?limit=2").expect(200);
    expect(first.body).toEqual(body.slice(0, 2));
    const next = await creator.get(nextOf(first) ?? "").expect(200);
    expect([next.body, nextOf(next)]).toEqual([body.slice(2), undefined]);
  });

  it("begins after one's own game alone", async () => {
    expect((await other.get("/placements").expect(200)).body).toEqual([]);
    for (const cursor of ["ash", "no-such-game", "%00"]) {
      await other.get(`/placements?cursor=${cursor}`).expect(400);
    }
  });
});

describe("GET /creator-revenue/{game_id}/advertisers", () => {
  it("names who was seen, with brand and lines, and whether the game blocks them", async () => {
    await developer.patch("/placements/ash", { blocked_advertisers: [other.advertiserId] }).expect(200);
    const { body } = await developer.get("/creator-revenue/ash/advertisers").expect(200);
    expect(body).toEqual([
      {
        advertiser_id: owner.advertiserId,
        company_name: "Ember",
        brand_names: ["Ember"],
        recent_lines: ["It smells of Ember."],
        impressions: 5,
        earned_microcents: (501 + 500 + 333 + 500 + 500) * 700,
        is_blocked: false,
      },
      expect.objectContaining({ advertiser_id: other.advertiserId, impressions: 1, is_blocked: true }),
    ]);
    const first = await developer.get("/creator-revenue/ash/advertisers?limit=1").expect(200);
    expect(first.body).toEqual(body.slice(0, 1));
    const next = await developer.get(nextOf(first) ?? "").expect(200);
    expect([next.body, nextOf(next)]).toEqual([body.slice(1), undefined]);
  });

  it("shows neither lines nor brands that were never seen in the game", async () => {
    await world.draft(owner, { name: "unseen" });
    const unseen = { creative_type: "narrative_hook", brand_name: "Hidden", narrative_hook: "Unseen." };
    await owner.post(`/campaigns/${campaign.campaignId}/creatives`, unseen).expect(201);
    const { text } = await developer.get("/creator-revenue/ash/advertisers").expect(200);
    expect(text).not.toContain("Hidden");
    await other.get("/creator-revenue/ash/advertisers").expect(403);
    await developer.get(`/creator-revenue/${newId("acct")}/advertisers`).expect(404);
  });
});

describe("GET /earnings", () => {
  it("has exact amounts by game and day, newest first, with the sum of the period", async () => {
    const { body } = await developer.get("/earnings?from=2026-11-01").expect(200);
    expect(body).toEqual({
      from: "2026-11-01",
      to: "2026-11-21",
      total: { impressions: 5, earned_microcents: (501 + 500 + 500 + 500 + 333) * 700 },
      rows: [
        { date: "2026-11-21", game_id: "ash", impressions: 3, earned_microcents: 1_501 * 700 },
        { date: "2026-11-21", game_id: "birch", impressions: 1, earned_microcents: 500 * 700 },
        { date: "2026-11-19", game_id: "ash", impressions: 1, earned_microcents: 333 * 700 },
      ],
    });
    const one = await developer.get("/earnings?from=2026-11-01&game_id=birch").expect(200);
    expect(one.body.rows).toEqual(body.rows.slice(1, 2));
    const none = await developer.get("/earnings?game_id=%00").expect(200);
    expect(none.body).toMatchObject({ total: { impressions: 0, earned_microcents: 0 }, rows: [] });
  });

  it("comes by pages that sum up to the whole, and as a table", async () => {
    const first = await developer.get("/earnings?from=2026-11-01&limit=2").expect(200);
    const next = await developer.get(nextOf(first) ?? "").expect(200);
    expect([first.body.rows.length, next.body.rows.length, nextOf(next)]).toEqual([2, 1, undefined]);
    expect(next.body.total).toEqual(first.body.total);
    const table = await developer.get("/earnings?from=2026-11-19&to=2026-11-20").set("Accept", "text/csv");
    expect(table.text).toBe("date,game_id,impressions,earned_cents\n2026-11-19,ash,1,0.233100\n");
    await developer.get("/earnings?from=2026-11-21&to=2026-11-20").expect(422);
    await developer.get("/earnings?from=2024-01-01").expect(422);
  });
});

describe("GET /earnings/advertisers", () => {
  const row = (of: Advertiser, impressions: number, earned: number, total: number) => ({
    advertiser_id: of.advertiserId,
    company_name: "Ember",
    brand_names: ["Ember"],
    impressions,
    earned_microcents: earned * 700,
    total_earned_microcents: total * 700,
  });

  it("has exact amounts of the period by advertiser, most earned first, and of all time", async () => {
    const { body } = await developer.get("/earnings/advertisers?from=2026-11-01").expect(200);
    expect(body).toEqual({
      from: "2026-11-01",
      to: "2026-11-21",
      total: { impressions: 5, earned_microcents: 2_334 * 700 },
      rows: [row(owner, 4, 1_834, 2_834), row(other, 1, 500, 500)],
    });
    const one = await developer.get("/earnings/advertisers?from=2026-11-01&game_id=birch").expect(200);
    expect(one.body.rows).toEqual([row(owner, 1, 500, 500)]);
    const early = await developer.get("/earnings/advertisers?from=2026-10-01&to=2026-11-18").expect(200);
    expect(early.body.rows).toEqual([row(owner, 1, 500, 2_834), row(other, 0, 0, 500)]);
    const none = await developer.get("/earnings/advertisers?game_id=%00").expect(200);
    expect(none.body).toMatchObject({ total: { impressions: 0, earned_microcents: 0 }, rows: [] });
  });

  it("leads to the days of one advertiser, as rows and as a table", async () => {
    const query = `from=2026-11-01&advertiser_id=${owner.advertiserId}`;
    const { body } = await developer.get(`/earnings?${query}`).expect(200);
    expect(body.total).toEqual({ impressions: 4, earned_microcents: 1_834 * 700 });
    expect(body.rows).toEqual([
      { date: "2026-11-21", game_id: "ash", impressions: 2, earned_microcents: 1_001 * 700 },
      { date: "2026-11-21", game_id: "birch", impressions: 1, earned_microcents: 500 * 700 },
      { date: "2026-11-19", game_id: "ash", impressions: 1, earned_microcents: 333 * 700 },
    ]);
    const table = await developer.get(`/earnings?${query}&game_id=birch`).set("Accept", "text/csv");
    expect(table.text).toBe("date,game_id,impressions,earned_cents\n2026-11-21,birch,1,0.350000\n");
    for (const nobody of ["adv_none", "%00", "a%20b"]) {
      const none = await developer.get(`/earnings?advertiser_id=${nobody}`).expect(200);
      expect([nobody, none.body.rows]).toEqual([nobody, []]);
    }
  });

  it("comes by pages that sum up to the whole, and as a table", async () => {
    const whole = await developer.get("/earnings/advertisers?from=2026-11-01").expect(200);
    const first = await developer.get("/earnings/advertisers?from=2026-11-01&limit=1").expect(200);
    const next = await developer.get(nextOf(first) ?? "").expect(200);
    expect([...first.body.rows, ...next.body.rows]).toEqual(whole.body.rows);
    expect([first.body.total, next.body.total]).toEqual([whole.body.total, whole.body.total]);
    expect(nextOf(next)).toBeUndefined();
    const table = await developer.get("/earnings/advertisers?from=2026-11-01").set("Accept", "text/csv");
    expect(table.text).toBe(
      [
        "advertiser_id,company_name,impressions,earned_cents,total_earned_cents",
        `${owner.advertiserId},Ember,4,1.283800,1.983800`,
        `${other.advertiserId},Ember,1,0.350000,0.350000`,
        "",
      ].join("\n"),
    );
  });

  it("shows nothing of another developer's games, and no brand that was never seen", async () => {
    const stranger = await world.harness.caller();
    const query = `from=2026-11-01&game_id=ash&advertiser_id=${owner.advertiserId}`;
    for (const path of ["/earnings/advertisers", "/earnings"]) {
      const { body } = await stranger.get(`${path}?${query}`).expect(200);
      expect(body).toMatchObject({ total: { impressions: 0, earned_microcents: 0 }, rows: [] });
    }
    const advertiser = await world.harness.caller({ scopes: ["advertiser"] });
    await advertiser.get("/earnings/advertisers").expect(403);
    await developer.get("/earnings/advertisers?from=2026-11-21&to=2026-11-20").expect(422);
    await developer.get("/earnings/advertisers?from=2024-01-01").expect(422);
    expect((await developer.get("/earnings/advertisers").expect(200)).text).not.toContain("Hidden");
  });
});

describe("GET /analytics/spend", () => {
  it("sums up exactly by campaign, creative, country and day, or some of them", async () => {
    const seen = { ...campaign, gameId: "ash", developerAccountId: developer.accountId };
    await world.see(
      { ...seen, countryCode: "DE", priceMillicents: 7 },
      { ...seen, countryCode: "FR", priceMillicents: 11, recordedAtMs: NOON_MS - DAY_MS },
    );
    const of = { campaign_id: campaign.campaignId, campaign_name: "Ale" };
    const creative = { creative_id: campaign.creativeId, brand_name: "Ember" };
    const { body } = await owner.get("/analytics/spend?from=2026-11-20").expect(200);
    expect(body).toEqual({
      from: "2026-11-20",
      to: "2026-11-21",
      total: { impressions: 5, spent_millicents: 1_501 + 18 },
      rows: [
        {
          date: "2026-11-21",
          ...of,
          ...creative,
          country_code: null,
          impressions: 3,
          spent_millicents: 1_501,
        },
        { date: "2026-11-21", ...of, ...creative, country_code: "DE", impressions: 1, spent_millicents: 7 },
        { date: "2026-11-20", ...of, ...creative, country_code: "FR", impressions: 1, spent_millicents: 11 },
      ],
    });
    const byCountry = await owner
      .get("/analytics/spend?from=2026-11-20&group_by=country&limit=2")
      .expect(200);
    expect(byCountry.body.rows).toEqual([
      { country_code: null, impressions: 3, spent_millicents: 1_501 },
      { country_code: "DE", impressions: 1, spent_millicents: 7 },
    ]);
    const next = await owner.get(nextOf(byCountry) ?? "").expect(200);
    expect([next.body.rows, next.body.total]).toEqual([
      [{ country_code: "FR", impressions: 1, spent_millicents: 11 }],
      byCountry.body.total,
    ]);
    for (const [filter, spent] of [
      ["country_code=de", 7],
      ["country_code=unknown", 1_501],
      [`creative_id=${campaign.creativeId}`, 1_519],
      [`campaign_id=${rival.campaignId}`, 0],
      ["campaign_id=%00", 0],
    ] as const) {
      const filtered = await owner.get(`/analytics/spend?from=2026-11-20&${filter}`).expect(200);
      expect([filter, filtered.body.total.spent_millicents]).toEqual([filter, spent]);
    }
  });

  it("needs no impression by day and campaign", async () => {
    const ofOwner = "/analytics/spend?from=2026-11-20";
    const perCampaign = { campaign_id: campaign.campaignId, campaign_name: "Ale" };
    const expected = [
      [
        "day,campaign",
        [
          { date: "2026-11-21", ...perCampaign, impressions: 4, spent_millicents: 1_508 },
          { date: "2026-11-20", ...perCampaign, impressions: 1, spent_millicents: 11 },
        ],
      ],
      [
        "day",
        [
          { date: "2026-11-21", impressions: 4, spent_millicents: 1_508 },
          { date: "2026-11-20", impressions: 1, spent_millicents: 11 },
        ],
      ],
      ["campaign", [{ ...perCampaign, impressions: 5, spent_millicents: 1_519 }]],
    ] as const;
    await world.harness.management.database.$transaction(
      async (transaction) => {
        await transaction.$executeRaw`LOCK TABLE impressions IN ACCESS EXCLUSIVE MODE`;
        for (const [groupBy, rows] of expected) {
          const { body } = await owner.get(`${ofOwner}&group_by=${groupBy}`).expect(200);
          expect([body.rows, body.total]).toEqual([rows, { impressions: 5, spent_millicents: 1_519 }]);
        }
        const none = await owner.get(`${ofOwner}&group_by=day&campaign_id=${rival.campaignId}`).expect(200);
        expect(none.body.rows).toEqual([]);
      },
      { timeout: 60_000 },
    );
  });

  it("keeps no other request waiting while its reports wait for Postgres", async () => {
    const statuses = await world.harness.management.database.$transaction(
      async (transaction) => {
        await transaction.$executeRaw`LOCK TABLE impressions IN ACCESS EXCLUSIVE MODE`;
        let refused = 0;
        const reports = Array.from({ length: 9 }, async () => {
          const { status } = await owner.get("/analytics/spend");
          if (status === 429) refused += 1;
          return status;
        });
        await eventually(() => refused === 5);
        await developer.get("/placements").expect(200);
        await owner.get("/campaigns").expect(200);
        return reports;
      },
      { timeout: 60_000 },
    );
    const answered = (await Promise.all(statuses)).toSorted((one, other) => one - other);
    expect(answered).toEqual([200, 200, 200, 200, 429, 429, 429, 429, 429]);
  });

  it.each([
    ["owner", "/analytics/spend", "campaign_id", ["", "%20", "%E2%80%8B"]],
    ["owner", "/analytics/spend", "creative_id", [""]],
    ["owner", "/analytics/spend", "group_by", ["", "%20"]],
    ["owner", "/analytics/spend", "country_code", ["", "Deutschland", "XX", "D", "Unknown", "%00"]],
    ["developer", "/earnings", "game_id", ["", "%E2%80%A8"]],
    ["developer", "/earnings", "advertiser_id", [""]],
    ["developer", "/earnings/advertisers", "game_id", [""]],
  ])("as %s: %s refuses a malformed %s", async (name, path, parameter, values) => {
    const caller = name === "owner" ? owner : developer;
    for (const value of values) {
      const { body } = await caller.get(`${path}?${parameter}=${value}`).expect(400);
      expect(body).toEqual({ detail: expect.stringContaining(parameter) });
    }
  });

  it("comes as a table, for advertisers, of at most 31 days", async () => {
    const table = await owner
      .get("/analytics/spend?from=2026-11-20&to=2026-11-20&group_by=country,day")
      .set("Accept", "text/csv");
    expect(table.text).toBe("date,country_code,impressions,spent_cents\n2026-11-20,FR,1,0.011\n");
    await owner.get("/analytics/spend?from=2026-10-21").expect(422);
    await owner.get("/analytics/spend?group_by=week").expect(422);
    await developer.get("/analytics/spend?group_by=week").expect(403);
  });
});
