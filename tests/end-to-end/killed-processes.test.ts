import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ClientEvent, DiegeticClient, type Match } from "@diegetic/client";
import {
  type Api,
  apiClient,
  type CampaignPlan,
  enableGame,
  readBilled,
  startCampaign,
} from "@diegetic/testing/api";
import { eventually } from "@diegetic/testing/eventually";
import { isLongForm, itInLongForm, rounds } from "@diegetic/testing/rounds";
import { isAlive, startStack, type TestStack } from "@diegetic/testing/stack";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { createKey } from "./create-key.ts";

const TIMEOUT_MS = 300_000;
const BILLED_WITHIN_MS = 120_000;
const GAME = "busy-game";

describe("the stack under load and with processes killed", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "diegetic-killed-"));
  let stack: TestStack;
  let developer: Api;
  let developerKey = "";
  let players = 0;

  beforeAll(async () => {
    stack = await startStack({ dataDir, arguments: ["--match-instances", "2"], environment: { DEMO: "0" } });
    developerKey = await createKey(stack, "developer");
    developer = apiClient(stack.describe().baseUrl, developerKey);
    await enableGame(developer, GAME);
  }, TIMEOUT_MS);
  afterAll(async () => {
    await stack?.pressCtrlC();
    rmSync(dataDir, { recursive: true, force: true });
  }, TIMEOUT_MS);

  /** An advertiser of its own, whose campaign is the only one that serves until the test ends. */
  const withCampaign = async (
    plan: CampaignPlan,
    test: (advertiser: Api, campaignId: string) => Promise<void>,
  ) => {
    const advertiser = apiClient(stack.describe().baseUrl, await createKey(stack, "advertiser"));
    const { campaignId } = await startCampaign(advertiser, plan);
    await test(advertiser, campaignId);
    await advertiser.expect(200, "POST", `/campaigns/${campaignId}/pause`);
  };

  /** Repeats a request while it is answered 503 or not at all, as a client does. */
  const persist = async (path: string, body: object) =>
    eventually(
      async () => {
        const answer = await developer.request("POST", path, body);
        return answer.status === 503 ? undefined : answer;
      },
      { timeoutMs: 120_000, everyMs: 50 },
    );

  /** One player who sees at most one ad. Returns whether they saw one. */
  const play = async (): Promise<boolean> => {
    players += 1;
    const match = await persist("/match", { game_id: GAME, user_id: `player-${players}`, game_context: {} });
    if (match.status === 204) return false;
    expect(match.status).toBe(200);
    const { match_id, campaign_id, creative_id } = match.body;
    const impression = await persist("/impressions", { match_id, campaign_id, creative_id, game_id: GAME });
    expect(impression.status).toBe(201);
    return true;
  };

  /** So many players, eight at a time. Answers how many saw an ad. */
  const playMany = async (count: number): Promise<number> => {
    let started = 0;
    let seen = 0;
    const player = async () => {
      while (started < count) {
        started += 1;
        if (await play()) seen += 1;
      }
    };
    await Promise.all(Array.from({ length: 8 }, player));
    return seen;
  };

  /** Expects every count of impressions to be this one, once billing is through. */
  const expectBilled = async (campaignId: string, impressions: number) => {
    const database = new pg.Client({ connectionString: stack.describe().databaseUrl });
    await database.connect();
    try {
      const count = async () => {
        const { rows } = await database.query(
          `SELECT (SELECT count(*)::int FROM impressions WHERE campaign_id = $1) AS written,
                  (SELECT coalesce(sum(impressions), 0)::int FROM campaign_rollups WHERE campaign_id = $1) AS rolled_up,
                  (SELECT impressions::int FROM campaigns WHERE id = $1) AS campaign,
                  (SELECT coalesce(sum(impressions), 0)::int FROM ledger_entries
                    WHERE campaign_id = $1 AND kind = 'charge') AS charged,
                  (SELECT (SELECT coalesce(sum(amount_microcents), 0) FROM ledger_entries WHERE campaign_id = $1)
                    + (SELECT coalesce(sum(earning_microcents), 0) FROM campaign_games WHERE campaign_id = $1)
                  )::int AS unbalanced`,
          [campaignId],
        );
        return rows[0];
      };
      const expected = {
        written: impressions,
        rolled_up: impressions,
        campaign: impressions,
        charged: impressions,
        unbalanced: 0,
      };
      const isBilled = async () => (await count()).written >= impressions;
      await eventually(isBilled, { timeoutMs: BILLED_WITHIN_MS, everyMs: 100 });
      expect(await count()).toEqual(expected);
    } finally {
      await database.end();
    }
  };

  it.each([
    [
      "the 25 impressions that a budget pays for",
      { depositCents: 100, budgetCents: 25, cpmBidCents: 1_000 },
      25,
    ],
    [
      "the impressions that the balance pays for",
      { depositCents: 7, budgetCents: 100, cpmBidCents: 1_000 },
      7,
    ],
    [
      "the one impression that empties a budget",
      { depositCents: 100, budgetCents: 10, cpmBidCents: 10_000 },
      1,
    ],
  ])(
    "serves exactly %s, whatever comes at once",
    async (_name, plan, impressions) => {
      await withCampaign(plan, async (advertiser, campaignId) => {
        expect(await playMany(impressions + 40)).toBe(impressions);
        const stats = await readBilled(advertiser, `/campaigns/${campaignId}/stats`);
        expect(stats).toMatchObject({ impressions, spent_cents: (impressions * plan.cpmBidCents) / 1_000 });
        await expectBilled(campaignId, impressions);
      });
    },
    TIMEOUT_MS,
  );

  it(
    "loses and doubles nothing when billing is killed in the middle of its batches",
    async () => {
      await withCampaign(
        { depositCents: 1_000, budgetCents: 1_000, cpmBidCents: 100 },
        async (_, campaignId) => {
          const count = rounds(150, 400);
          const played = playMany(count);
          for (let kill = 0; kill < rounds(2, 3); kill += 1) await stack.killAndAwaitRestart("billing");
          expect(await played).toBe(count);
          await expectBilled(campaignId, count);
        },
      );
    },
    TIMEOUT_MS,
  );

  it.each(isLongForm ? ["match-1", "match-2", "management", "front"] : ["match-1"])(
    "restarts %s when it is killed, and goes on serving",
    async (name) => {
      await withCampaign(
        { depositCents: 1_000, budgetCents: 1_000, cpmBidCents: 100 },
        async (_, campaignId) => {
          const played = playMany(100);
          const before = stack.describe();
          await stack.killAndAwaitRestart(name);
          const after = stack.describe();
          expect({ ...after, processes: [] }).toEqual({ ...before, processes: [] });
          const seen = await played;
          expect(seen).toBe(100);
          // A match whose answer was lost with its instance is a hold that nobody uses: it is never billed.
          await expectBilled(campaignId, 100);
        },
      );
    },
    TIMEOUT_MS,
  );

  it(
    "keeps every 201 over a killed Redis and a killed Postgres",
    async () => {
      await withCampaign(
        { depositCents: 1_000, budgetCents: 1_000, cpmBidCents: 100 },
        async (_, campaignId) => {
          const played = playMany(150);
          await stack.killAndAwaitRestart("redis");
          await stack.killAndAwaitRestart("postgres");
          const seen = await played;
          await expectBilled(campaignId, seen);
        },
      );
    },
    TIMEOUT_MS,
  );

  itInLongForm(
    "has every impression of the TypeScript client billed once, whatever is killed meanwhile",
    async () => {
      const events: ClientEvent[] = [];
      const client = new DiegeticClient({
        baseUrl: stack.describe().baseUrl,
        apiKey: developerKey,
        matchBudgetMs: 10_000,
        onEvent: (event) => events.push(event),
      });
      const placement = { creator_id: "studio-1", placement_types: ["narrative_hook" as const] };
      await Promise.all([
        stack.killAndAwaitRestart("management"),
        client.api.enablePlacement({ game_id: GAME, body: placement, retryForMs: 120_000 }),
      ]);
      const scene = (userId: string) => ({
        game_id: GAME,
        user_id: userId,
        game_context: { location: "tavern" },
      });
      expect(await client.match(scene("player-0"))).toBeNull();
      await withCampaign(
        { depositCents: 1_000, budgetCents: 1_000, cpmBidCents: 100 },
        async (_, campaignId) => {
          const matches: Match[] = [];
          while (matches.length < 20) {
            const match = await client.match(scene(`reader-${matches.length}`));
            if (match !== null) matches.push(match);
          }
          for (const name of ["match-1", "redis", "front"]) {
            for (const match of matches) expect(client.recordImpression(match)).toBe(true);
            await stack.killAndAwaitRestart(name);
          }
          for (const match of matches) client.recordImpression(match);
          expect(await client.close({ timeoutMs: BILLED_WITHIN_MS })).toBe(0);
          const recorded = events.flatMap((event) =>
            event.type === "impression_recorded" ? [event.match_id] : [],
          );
          expect(new Set(recorded)).toEqual(new Set(matches.map(({ match_id }) => match_id)));
          const lost = events.filter(({ type }) => /rejected|dropped|outbox_failed/.test(type));
          expect(lost).toEqual([]);
          await expectBilled(campaignId, matches.length);
        },
      );
    },
    TIMEOUT_MS,
  );

  it(
    "leaves nothing running when the supervisor itself is killed, and starts again on what is there",
    async () => {
      const pids = stack.describe().processes.map(({ pid }) => pid);
      process.kill(stack.supervisorPid(), "SIGKILL");
      await eventually(() => !pids.some(isAlive));
      stack = await startStack({ dataDir, environment: { DEMO: "0" } });
      developer = apiClient(stack.describe().baseUrl, developerKey);
      await withCampaign({ depositCents: 100, budgetCents: 100, cpmBidCents: 100 }, async () => {
        expect(await play()).toBe(true);
      });
      expect(await developer.expect(200, "GET", "/creator-revenue")).toMatchObject({ games_count: 1 });
    },
    TIMEOUT_MS,
  );
});
