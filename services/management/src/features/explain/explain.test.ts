import { CHECKED_RULES } from "@diegetic/contracts";
import { createGameSessions, identifyPlayer } from "@diegetic/hot-state";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { activeCampaign, type Caller, type Harness, startHarness } from "../../testing/harness.ts";

let harness: Harness;
let advertiser: Caller & { advertiserId: string };
let campaignId: string;
let creativeId: string;
let developer: Caller;
const scene = { game_id: "explained", user_id: "player-1", game_context: { narrative: "A quiet tavern." } };

beforeAll(async () => {
  harness = await startHarness();
  advertiser = await harness.advertiser(1_000);
  ({ campaignId, creativeId } = await activeCampaign(advertiser));
  developer = await harness.caller();
  const placement = { creator_id: "studio", placement_types: ["narrative_hook"], max_ads_per_session: 1 };
  await developer.post("/placements/explained", placement).expect(201);
  await eventually(async () => (await explain()).status === 200);
});

afterAll(() => harness.stop());

function explain(body: object = scene, caller: Caller = advertiser) {
  return caller.post(`/campaigns/${campaignId}/explain`, body);
}

async function failedRules(body: object = scene): Promise<string[]> {
  return failedRulesOf((await explain(body).expect(200)).body);
}

function failedRulesOf(answer: { checks: { rule: string; passed: boolean }[] }): string[] {
  return answer.checks.filter((check) => !check.passed).map((check) => check.rule);
}

const SEAT = { matchId: "mat_1", advertiserId: "adv_other", maxAds: 1, idleMs: 60_000 };

describe("POST /campaigns/{id}/explain", () => {
  it("passes every rule, and names score, rank and no rival, for what would serve", async () => {
    const { body } = await explain().expect(200);
    expect(body).toMatchObject({
      campaign_id: campaignId,
      would_serve: true,
      affinity_score: 0,
      affinity_parts: [],
      rank: 500,
      winning_rank: null,
    });
    expect(body.checks.map((check: { rule: string }) => check.rule)).toEqual(CHECKED_RULES);
    expect(body.checks.map((check: { code: number }) => check.code)).toEqual(
      [...body.checks.map((check: { code: number }) => check.code)].sort((a, b) => a - b),
    );
  });

  it("holds and counts nothing", async () => {
    await Promise.all(Array.from({ length: 5 }, () => explain().expect(200)));
    const totals = await harness.money.readAccount(advertiser.advertiserId);
    expect(totals).toMatchObject({ heldMillicents: 0, spentMillicents: 0 });
    expect(await failedRules()).toEqual([]);
  });

  it("applies a change that was answered", async () => {
    await advertiser.post(`/campaigns/${campaignId}/pause`).expect(200);
    expect(await failedRules()).toEqual(["status"]);
    await advertiser.post(`/campaigns/${campaignId}/activate`).expect(200);
    await advertiser.patch(`/campaigns/${campaignId}`, { target_tags: ["rain"] }).expect(200);
    expect(await failedRules()).toEqual(["target_tags"]);
    await advertiser.patch(`/campaigns/${campaignId}`, { target_tags: [] }).expect(200);
  });

  it("looks at affinities, zeros included", async () => {
    for (const affinity_value of ["tavern", "harbour"]) {
      const affinity = { affinity_type: "location", affinity_value, weight: 2 };
      await advertiser.post(`/campaigns/${campaignId}/affinities`, affinity).expect(201);
    }
    const { body } = await explain().expect(200);
    expect(body).toMatchObject({ affinity_score: 1, rank: 750 });
    expect(body.affinity_parts).toMatchObject([{ contribution: 1 }, { contribution: 0 }]);
    await advertiser.put(`/campaigns/${campaignId}/affinities/bulk`, { affinities: [] }).expect(200);
  });

  it("compares with the best rival that can pay", async () => {
    const rival = await harness.advertiser(100);
    const paying = await activeCampaign(rival, { cpm_bid_cents: 600 });
    const broke = await activeCampaign(rival, { cpm_bid_cents: 9_000 });
    await rival.patch(`/campaigns/${broke.campaignId}`, { budget_cents: 1 }).expect(200);
    expect((await explain().expect(200)).body).toMatchObject({ would_serve: false, winning_rank: 600 });
    await rival.post(`/campaigns/${paying.campaignId}/pause`).expect(200);
    expect((await explain().expect(200)).body).toMatchObject({ would_serve: true, winning_rank: null });
  });

  it("knows what the budget still covers", async () => {
    const { body } = await advertiser.get(`/campaigns/${campaignId}`).expect(200);
    await advertiser.patch(`/campaigns/${campaignId}`, { budget_cents: 1 }).expect(200);
    await advertiser.patch(`/campaigns/${campaignId}`, { cpm_bid_cents: 1_001 }).expect(200);
    expect(await failedRules()).toEqual(["budget"]);
    const { budget_cents, cpm_bid_cents } = body;
    await advertiser.patch(`/campaigns/${campaignId}`, { budget_cents, cpm_bid_cents }).expect(200);
  });

  it("knows what the holds of the game's developer take", async () => {
    const { heldMillicents: _, ...account } =
      (await harness.money.readAccount(advertiser.advertiserId)) ?? {};
    expect(account).toMatchObject({ depositedMillicents: 1_000_000, spentMillicents: 0 });
    const shares = `{${advertiser.advertiserId}}:shares:${campaignId}`;
    const holding = async (openHolds: number, heldMillicents: number, accountId = developer.accountId) => {
      await harness.redis.hset(shares, accountId, `${openHolds}|${heldMillicents}`);
      return failedRules();
    };
    try {
      expect(await holding(99, 900_000)).toEqual([]);
      expect(await holding(100, 400_000)).toEqual([]);
      expect(await holding(100, 499_501)).toEqual(["budget"]);
      expect(await holding(0, 0)).toEqual([]);
      expect(await holding(100, 499_501, advertiser.accountId)).toEqual([]);
    } finally {
      await harness.redis.del(shares);
    }
  });

  it("says with which bid it would win", async () => {
    const rival = await harness.advertiser(100);
    const other = await activeCampaign(rival, { cpm_bid_cents: 2_000 });
    const { body } = await explain().expect(200);
    expect(body).toMatchObject({ would_serve: false, winning_rank: 2_000 });
    expect(body.summary).toContain(
      `a bid of ${body.bid_to_win_cents} cents would rank within 1 % of the highest`,
    );
    const { cpm_bid_cents } = (await advertiser.get(`/campaigns/${campaignId}`).expect(200)).body;
    const servesAt = async (bidCents: number) => {
      await advertiser.patch(`/campaigns/${campaignId}`, { cpm_bid_cents: bidCents }).expect(200);
      return (await explain().expect(200)).body.would_serve;
    };
    expect(await servesAt(body.bid_to_win_cents)).toBe(true);
    expect(await servesAt(body.bid_to_win_cents - 1)).toBe(false);
    await advertiser.patch(`/campaigns/${campaignId}`, { cpm_bid_cents }).expect(200);
    await rival.post(`/campaigns/${other.campaignId}/pause`).expect(200);
  });

  it("tells nothing of what a player has seen in another's game", async () => {
    const sessions = createGameSessions(harness.redis);
    const { sessionKey } = identifyPlayer("k".repeat(32), developer.accountId, scene.user_id, undefined);
    const before = await explain().expect(200);
    expect(before.body.session_counts_as_new).toBe(true);
    const session = { gameId: scene.game_id, sessionKey };
    await sessions.admit({ ...session, ...SEAT });
    expect((await explain().expect(200)).body).toEqual(before.body);
    await sessions.returnSeat(session, "mat_1");
  });

  it("knows what the player session has had in the caller's game, and does not lengthen it", async () => {
    const own = { ...scene, game_id: "own" };
    const placement = { creator_id: "studio", placement_types: ["narrative_hook"], max_ads_per_session: 1 };
    await advertiser.post("/placements/own", placement).expect(201);
    await eventually(async () => (await explain(own)).status === 200);
    const failedRules = async (body: object = own) => failedRulesOf((await explain(body).expect(200)).body);
    const sessions = createGameSessions(harness.redis);
    const { sessionKey } = identifyPlayer("k".repeat(32), advertiser.accountId, scene.user_id, undefined);
    const session = { gameId: own.game_id, sessionKey };
    await sessions.admit({ ...session, ...SEAT });
    expect(await failedRules()).toEqual(["max_ads_per_session"]);
    expect(await failedRules({ ...own, session_id: "another" })).toEqual([]);
    await sessions.returnSeat(session, "mat_1");
    expect(await failedRules()).toEqual([]);
  });

  it("knows for how long a session with session_id rests, as match requests do", async () => {
    const own = { ...scene, game_id: "own", session_id: "long" };
    const { sessionKey } = identifyPlayer("k".repeat(32), advertiser.accountId, own.user_id, own.session_id);
    const sessions = createGameSessions(harness.redis);
    const session = { gameId: own.game_id, sessionKey };
    const { startedMs } = await sessions.admit({ ...session, ...SEAT });
    await sessions.returnSeat(session, "mat_1");
    const failedWhenCountedSince = async (sinceMs: number) => {
      const counts = { since: sinceMs * 1_000, [creativeId]: 1_000 };
      await harness.redis.hset(`{${advertiser.advertiserId}}:cap:own:${sessionKey}`, counts);
      return failedRulesOf((await explain(own).expect(200)).body);
    };
    const hourMs = 3_600_000;
    expect(await failedWhenCountedSince(startedMs - 2 * hourMs)).toEqual(["max_uses_per_game"]);
    // More than half of the six hours: these are counts of an earlier session.
    expect(await failedWhenCountedSince(startedMs - 4 * hourMs)).toEqual([]);
  });

  it.each([
    ["a game nobody registered", { ...scene, game_id: "unknown" }, 404, "game_id"],
    ["a missing field", { ...scene, game_context: undefined }, 400, "game_context"],
    ["a place that does not exist", { ...scene, player_geo: { lat: 91, lng: 0 } }, 422, "player_geo.lat"],
  ])("refuses %s", async (_what, body, status, field) => {
    const answer = await explain(body).expect(status);
    expect(answer.body.detail).toContain(field);
  });

  it("has a limit of its own", async () => {
    const caller = await harness.caller({ rateLimitPerMinute: 2 });
    await caller.post("/register", { company_name: "E", contact_email: "limited@example.com" }).expect(201);
    const answer = await caller.post("/campaigns/camp_none/explain", scene).expect(404);
    expect(answer.headers["x-ratelimit-remaining"]).toBe("1");
  });

  it("counts a long request once more for each 16 KiB", async () => {
    const tags = Array.from({ length: 100 }, () => "x".repeat(200));
    const body = { ...scene, game_context: { mood_tags: tags, actions: tags } };
    // A minute may end between two counts.
    await eventually(async () => {
      const caller = await harness.caller({ rateLimitPerMinute: 5 });
      const contact = { company_name: "E", contact_email: `${caller.accountId}@example.com` };
      await caller.post("/register", contact).expect(201);
      const campaign = { name: "Long", budget_cents: 1_000, cpm_bid_cents: 500 };
      const { id } = (await caller.post("/campaigns", campaign).expect(201)).body;
      const answer = await caller.post(`/campaigns/${id}/explain`, body).expect(200);
      return answer.headers["x-ratelimit-remaining"] === "2";
    });
  });

  it("is for the campaign's own advertiser", async () => {
    await explain(scene, await harness.advertiser()).expect(403);
    await advertiser.post("/campaigns/camp_none/explain", scene).expect(404);
  });
});
