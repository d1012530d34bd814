import { CampaignIndex, type Candidate } from "@diegetic/ad-rules";
import { newId } from "@diegetic/contracts";
import {
  connectRedis,
  createGameSessions,
  createMoneyCommands,
  createReserveAndAdmit,
  DEFAULT_IMPRESSION_TIMES,
  DueIndex,
  LeaseExpired,
  type RedisConnection,
} from "@diegetic/hot-state";
import { createLogger } from "@diegetic/service-kit";
import { eventually } from "@diegetic/testing/eventually";
import { openWallet } from "@diegetic/testing/open-wallet";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { Catalog } from "../catalog/catalog.ts";
import { MatchIds } from "../match-id/match-ids.ts";
import { RefusalMemory } from "../refusal-memory/refusal-memory.ts";
import { ShareRefusals } from "../refusal-memory/share-refusals.ts";
import { Attempts } from "./attempts.ts";
import type { LoadedRequest } from "./load.ts";
import { type ReserveDependencies, reserveOne } from "./reserve-one.ts";

const DEPOSITED = 1_000;
const LEASE_OVER_MS = 1;

let server: TestRedis;
let redis: RedisConnection;
beforeAll(async () => {
  server = await startTestRedis();
  redis = connectRedis(server.url, { name: "reserve-one-test" });
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

function dependenciesOf(): ReserveDependencies {
  const money = createMoneyCommands(redis);
  const sessions = createGameSessions(redis);
  return {
    settings: { holdTtlSeconds: 600 },
    money,
    sessions,
    reserveAndAdmit: createReserveAndAdmit(redis, DEFAULT_IMPRESSION_TIMES, { money, sessions }),
    due: new DueIndex(redis),
    logger: createLogger({ service: "match", instance: "test", level: "silent" }),
    nowMs: Date.now,
    countReservation: () => undefined,
    refusals: new RefusalMemory(new CampaignIndex(), () => 1),
    matchIds: new MatchIds(["a key of match ids, for tests alone"]),
    shareRefusals: new ShareRefusals(),
    catalog: new Catalog(),
  };
}

function requestOf(leaseExpiresMs: number): LoadedRequest {
  const gameId = "game";
  return {
    body: { game_id: gameId, user_id: "p", game_context: {} },
    placement: {
      game_id: gameId,
      account_id: "acct",
      version: 1,
      is_active: true,
      placement_types: ["narrative_hook"],
      revenue_share_basis_points: 7_000,
      max_ads_per_session: 5,
      blocked_advertisers: [],
      blocked_categories: [],
    },
    userHash: "user",
    session: { gameId, sessionKey: "session" },
    sessionIdleMs: 1_800_000,
    leaseExpiresMs,
  };
}

/** A campaign with this bid, and its advertiser. */
async function openCandidate(bidCents: number): Promise<{ advertiserId: string; candidate: Candidate }> {
  const money = createMoneyCommands(redis);
  const [advertiserId, campaignId] = [newId("adv"), newId("camp")];
  await openWallet(money, { advertiserId, version: 1, depositedMillicents: DEPOSITED });
  await money.applyCampaign({
    advertiserId,
    campaignId,
    version: 1,
    status: "active",
    budgetMillicents: 1_000_000,
    dailyCapMillicents: null,
    seed: { spentMillicents: 0, impressions: 0, day: "2026-01-01", daySpentMillicents: 0 },
  });
  const candidate = {
    campaign: {
      campaign_id: campaignId,
      advertiser_id: advertiserId,
      version: 1,
      cpm_bid_cents: bidCents,
    },
    creatives: [{ creative_id: "crt_a", max_uses_per_game: 3, alt_hooks: [] }],
    affinityScore: 0,
    affinityParts: [],
    rank: 1,
  } as unknown as Candidate;
  return { advertiserId, candidate };
}

describe("a request whose first campaign was refused", () => {
  it("holds no other campaign after the lease of its decision has expired", async () => {
    const dependencies = dependenciesOf();
    const trial = { matchId: newId("mat"), attempts: new Attempts(), lackedMoney: false, refused: [] };
    const dear = await openCandidate(DEPOSITED + 1);
    const first = await reserveOne(dependencies, requestOf(Number.MAX_SAFE_INTEGER), dear.candidate, trial);
    expect(first).toEqual({ outcome: "refused" });
    // Simulates a suspension of the process that outlasts its lease.
    const other = await openCandidate(DEPOSITED);
    const second = reserveOne(dependencies, requestOf(LEASE_OVER_MS), other.candidate, trial);
    await expect(second).rejects.toThrow(LeaseExpired);
    await eventually(async () => {
      expect(await dependencies.money.readAccount(other.advertiserId)).toMatchObject({ heldMillicents: 0 });
      return true;
    });
  });
});
