import { randomBytes } from "node:crypto";
import type { Candidate } from "@diegetic/ad-rules";
import { entityName, newId } from "@diegetic/contracts";
import {
  createGameSessions,
  createMoneyCommands,
  createReserveAndAdmit,
  createSliceGrants,
  DEFAULT_IMPRESSION_TIMES,
  DueIndex,
  type HoldReference,
  LeaseExpired,
  type RedisConnection,
  sliceOfSession,
  walletIdOf,
} from "@diegetic/hot-state";
import { createLogger } from "@diegetic/service-kit";
import { eventually } from "@diegetic/testing/eventually";
import { openWallet } from "@diegetic/testing/open-wallet";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { Catalog } from "../catalog/catalog.ts";
import { MatchIds } from "../match-id/match-ids.ts";
import { ShareRefusals } from "../refusals/share-refusals.ts";
import { MAX_RESERVATIONS } from "./attempts.ts";
import type { LoadedRequest } from "./load.ts";
import { newMatchState, returnSeatLater } from "./match-state.ts";
import { type ReserveDependencies, reserveOne } from "./reserve-one.ts";

const DEPOSITED = 1_000;
const LEASE_OVER_MS = 1;

let server: TestRedis;
let redis: RedisConnection;
beforeAll(async () => {
  server = await startTestRedis();
  redis = connectTestRedis(server.url);
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
    grants: createSliceGrants(redis),
    sessions,
    reserveAndAdmit: createReserveAndAdmit(redis, DEFAULT_IMPRESSION_TIMES, { money, sessions }),
    due: new DueIndex(redis),
    logger: createLogger({ service: "match", instance: "test", level: "silent" }),
    nowMs: Date.now,
    countReservation: () => undefined,
    matchIds: new MatchIds(["a key of match ids, for tests alone"]),
    shareRefusals: new ShareRefusals(),
    catalog: new Catalog(1),
  };
}

const SESSION_IDLE_MS = 1_800_000;

function requestOf(leaseExpiresMs: number, sessionKey = "session", maxAds = 5): LoadedRequest {
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
      max_ads_per_session: maxAds,
      blocked_advertisers: [],
      blocked_categories: [],
    },
    userHash: "user",
    session: { gameId, sessionKey },
    sessionIdleMs: SESSION_IDLE_MS,
    leaseExpiresMs,
  };
}

/** A campaign with this bid, and its advertiser, who has deposited `DEPOSITED`. */
async function openCandidate(
  bidCents: number,
  slices = 1,
): Promise<{ advertiserId: string; candidate: Candidate }> {
  const money = createMoneyCommands(redis);
  const [advertiserId, campaignId] = [newId("adv"), newId("camp")];
  await openWallet(money, { advertiserId, version: 1, depositedMillicents: DEPOSITED, slices });
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
    const state = newMatchState();
    const dear = await openCandidate(DEPOSITED + 1);
    const first = await reserveOne(dependencies, requestOf(Number.MAX_SAFE_INTEGER), dear.candidate, state);
    expect(first).toEqual({ outcome: "refused" });
    // Simulates a suspension of the process that outlasts its lease.
    const other = await openCandidate(DEPOSITED);
    const second = reserveOne(dependencies, requestOf(LEASE_OVER_MS), other.candidate, state);
    await expect(second).rejects.toThrow(LeaseExpired);
    await eventually(async () => {
      expect(await dependencies.money.readAccount(other.advertiserId)).toMatchObject({ heldMillicents: 0 });
      return true;
    });
  });
});

describe("a request whose session has used up the creatives of a campaign", () => {
  it("returns its seat when it fails afterwards", async () => {
    const dependencies = dependenciesOf();
    const state = newMatchState();
    const request = requestOf(Number.MAX_SAFE_INTEGER, newId("key"));
    const { candidate } = await openCandidate(100);
    const usedUp = candidate.creatives.map((creative) => ({ ...creative, max_uses_per_game: 0 }));
    const tried = await reserveOne(dependencies, request, { ...candidate, creatives: usedUp }, state);
    expect([tried, state.attempts.left]).toEqual([{ outcome: "refused" }, MAX_RESERVATIONS]);
    const ads = () => dependencies.sessions.touch(request.session, SESSION_IDLE_MS);
    expect(await ads()).toBe(1);
    returnSeatLater(dependencies, request, state);
    await eventually(async () => (await ads()) === 0);
  });
});

/** A campaign that this session saw once, a while ago; its counts have expired since. */
async function seenLongAgo(dependencies: ReserveDependencies, request: LoadedRequest) {
  const { advertiserId, candidate } = await openCandidate(100);
  const state = newMatchState();
  expect(await reserveOne(dependencies, request, candidate, state)).toMatchObject({ outcome: "held" });
  const [session = ""] = await redis.keys(`*:session:${request.session.sessionKey}`);
  expect(await redis.hincrby(session, "started", -SESSION_IDLE_MS)).toBeGreaterThan(0);
  expect(await redis.del(...(await redis.keys(`{${advertiserId}}:cap:*`)))).toBe(1);
  return { advertiserId, candidate };
}

function stateAfter(reservations: number) {
  const state = newMatchState();
  for (let i = 0; i < reservations; i++) state.attempts.use(newId("adv"));
  return state;
}

describe("a request whose earlier reservations were refused", () => {
  it.each([
    { reservations: MAX_RESERVATIONS - 3, left: 1, outcome: "held", holds: 2 },
    { reservations: MAX_RESERVATIONS - 2, left: 1, outcome: "refused", holds: 1 },
    { reservations: MAX_RESERVATIONS - 1, left: 0, outcome: "refused", holds: 1 },
  ])("repeats one only where another advertiser's remains: %j", async (expected) => {
    const dependencies = dependenciesOf();
    const request = requestOf(Number.MAX_SAFE_INTEGER, newId("key"));
    const { advertiserId, candidate } = await seenLongAgo(dependencies, request);
    const state = stateAfter(expected.reservations);
    const { outcome } = await reserveOne(dependencies, request, candidate, state);
    const { heldMillicents } = (await dependencies.money.readAccount(advertiserId)) ?? {};
    expect({ outcome, left: state.attempts.left, heldMillicents }).toEqual({
      outcome: expected.outcome,
      left: expected.left,
      heldMillicents: expected.holds * 100,
    });
  });
});

describe("a request whose hold cannot be cancelled", () => {
  it.each([0, MAX_RESERVATIONS - 2])(
    "goes on under another match id, after %d reservations",
    async (used) => {
      const dependencies = dependenciesOf();
      const { money } = dependencies;
      const request = requestOf(Number.MAX_SAFE_INTEGER, newId("key"));
      const { advertiserId, candidate } = await seenLongAgo(dependencies, request);
      const account = `{${advertiserId}}:account`;
      const lineage = String(await redis.hget(account, "lineage"));
      const promoted: ReserveDependencies = {
        ...dependencies,
        money: {
          ...money,
          release: async (...hold) => {
            await redis.hset(account, "lineage", "of another server");
            return money.release(...hold);
          },
        },
      };
      const state = stateAfter(used);
      const { matchId } = state;
      expect(await reserveOne(promoted, request, candidate, state)).toEqual({ outcome: "refused" });
      // Restored, with all that it held.
      await redis.hset(account, "lineage", lineage);
      expect(await money.readAccount(advertiserId)).toMatchObject({ heldMillicents: 200 });
      const other = await openCandidate(100);
      const tried = await reserveOne(dependencies, request, other.candidate, state);
      expect(tried).toMatchObject({ outcome: "held" });
      expect(state.matchId).not.toBe(matchId);
      // The one of long ago, and this one.
      expect(await dependencies.sessions.touch(request.session, SESSION_IDLE_MS)).toBe(2);
    },
  );

  it("goes on under another match id when an impression has charged the hold meanwhile", async () => {
    const dependencies = dependenciesOf();
    const { money } = dependencies;
    const request = requestOf(Number.MAX_SAFE_INTEGER, newId("key"));
    const { advertiserId, candidate } = await seenLongAgo(dependencies, request);
    const state = stateAfter(0);
    const { matchId } = state;
    const charging: ReserveDependencies = {
      ...dependencies,
      money: {
        ...money,
        release: async (...hold) => {
          const { campaign_id: campaignId } = candidate.campaign;
          const ids = { advertiserId, campaignId, gameId: "game", creativeId: "crt_a", matchId };
          const charge = await money.commit({ ...ids, operationId: newId("op"), nowMs: Date.now() });
          expect(charge.outcome).toBe("charged");
          return money.release(...hold);
        },
      },
    };
    expect(await reserveOne(charging, request, candidate, state)).toEqual({ outcome: "refused" });
    expect(await money.readAccount(advertiserId)).toMatchObject({
      spentMillicents: 100,
      heldMillicents: 100,
    });
    expect(state.matchId).not.toBe(matchId);
  });
});

describe("a request of a full session", () => {
  it("takes no seat, also where a lapsed match still has one", async () => {
    // Holds lapse after a millisecond.
    const dependencies = { ...dependenciesOf(), settings: { holdTtlSeconds: 0.001 } };
    const { money } = dependencies;
    const { advertiserId, candidate } = await openCandidate(DEPOSITED);
    const sessionKey = newId("key");
    const request = requestOf(Number.MAX_SAFE_INTEGER, sessionKey, 1);
    const ask = () => {
      const state = newMatchState();
      return reserveOne(dependencies, request, candidate, state);
    };
    expect(await ask()).toMatchObject({ outcome: "held" });
    const [session = ""] = await redis.keys(`*:session:${sessionKey}`);
    await redis.hincrby(session, "started", -0.9 * SESSION_IDLE_MS);
    const [hold] = await eventually(async () => {
      const { holds } = await money.listLapsed(advertiserId, 1);
      return holds.length > 0 && holds;
    });
    if (hold === undefined) throw new Error("nothing is held");
    await money.release(hold, "lapsed");
    expect(await ask()).toEqual({ outcome: "session_full" });
    expect(await redis.hkeys(session)).toEqual(["started", hold.matchId]);
    expect(await money.readAccount(advertiserId)).toMatchObject({ heldMillicents: 0 });
  });
});

describe("a request of a sliced wallet", () => {
  const SLICES = 3;
  /** A player session whose matches are in the slice. */
  const sessionIn = (slice: number): string => {
    const sessionKey = randomBytes(16).toString("base64url");
    return sliceOfSession(sessionKey, SLICES) === slice ? sessionKey : sessionIn(slice);
  };

  async function openSliced(bidCents: number) {
    const { advertiserId, candidate } = await openCandidate(bidCents, SLICES);
    const dependencies = dependenciesOf();
    const advertiser = { advertiser_id: advertiserId, account_id: "acct", version: 1, wallet_slices: SLICES };
    dependencies.catalog.apply({
      name: entityName.advertiser(advertiserId),
      json: JSON.stringify(advertiser),
    });
    const refusedForMs: number[] = [];
    const asked: HoldReference[] = [];
    dependencies.catalog.index.refuseAdvertiser = (_id, { sinceMs, untilMs }) => {
      refusedForMs.push(untilMs - sinceMs);
    };
    const ask = (slice: number) => {
      const state = newMatchState();
      const sessionKey = sessionIn(slice);
      const request = requestOf(Number.MAX_SAFE_INTEGER, sessionKey);
      asked.push({
        matchId: state.matchId,
        walletId: walletIdOf(advertiserId, slice),
        campaignId: candidate.campaign.campaign_id,
        gameId: "game",
        sessionKey,
        priceMillicents: bidCents,
        developerAccountId: "acct",
        matchedAtMs: Date.now(),
      });
      return reserveOne(dependencies, request, candidate, state);
    };
    return { advertiserId, candidate, money: dependencies.money, ask, asked, refusedForMs };
  }

  it("holds all money that there is, whichever slice needs it", async () => {
    const { advertiserId, money, ask } = await openSliced(DEPOSITED / 10);
    for (let n = 0; n < 10; n += 1) expect(await ask(n % SLICES)).toMatchObject({ outcome: "held" });
    for (let slice = 0; slice < SLICES; slice += 1) expect(await ask(slice)).toEqual({ outcome: "refused" });
    expect(await money.readAccount(advertiserId)).toMatchObject({ heldMillicents: DEPOSITED });
  });

  it("holds no more than there is while many ask at once, and leaves nothing idle", async () => {
    const { advertiserId, money, ask } = await openSliced(DEPOSITED / 10);
    const many = await Promise.all(Array.from({ length: 30 }, (_, n) => ask(n % SLICES)));
    let held = many.filter(({ outcome }) => outcome === "held").length;
    expect(held).toBeLessThanOrEqual(10);
    for (; held < 10; held += 1) expect(await ask(held % SLICES)).toMatchObject({ outcome: "held" });
    expect(await ask(0)).toEqual({ outcome: "refused" });
    expect(await money.readAccount(advertiserId)).toMatchObject({ heldMillicents: DEPOSITED });
  });

  it("is refused no longer than others hold the money", async () => {
    const { money, ask, asked, refusedForMs } = await openSliced(DEPOSITED);
    expect(await ask(1)).toMatchObject({ outcome: "held" });
    for (let slice = 0; slice < SLICES; slice += 1) expect(await ask(slice)).toEqual({ outcome: "refused" });
    expect(refusedForMs).toEqual([250, 250, 250]);
    const [held] = asked;
    if (held === undefined) throw new Error("nothing is held");
    expect(await money.release(held, "cancelled")).toBe("released");
    expect(await ask(2)).toMatchObject({ outcome: "held" });
  });

  it("is refused until the account changes once all money is spent", async () => {
    const { advertiserId, candidate, money, ask, refusedForMs } = await openSliced(DEPOSITED);
    expect(await ask(1)).toMatchObject({ outcome: "held" });
    const charged = await money.commit({
      advertiserId,
      slice: 1,
      campaignId: candidate.campaign.campaign_id,
      gameId: "game",
      creativeId: "crt_a",
      operationId: newId("op"),
      matchId: null,
      nowMs: Date.now(),
    });
    expect(charged).toMatchObject({ outcome: "charged", record: { wallet_slice: 1 } });
    for (const slice of [2, 0, 1]) expect(await ask(slice)).toEqual({ outcome: "refused" });
    expect(refusedForMs).toEqual([3_600_000, 3_600_000, 3_600_000]);
  });
});
