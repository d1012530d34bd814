import { newId } from "@diegetic/contracts";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { RedisConnection } from "../connection.ts";
import { gameKeys } from "../keys.ts";
import { LeaseExpired } from "../snapshot/lease.ts";
import { createGameSessions, type GameSessions } from "./sessions.ts";

const IDLE_MS = 1_800_000;

let server: TestRedis;
let redis: RedisConnection;
let sessions: GameSessions;

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectTestRedis(server.url);
  sessions = createGameSessions(redis);
});

afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

function newSession(gameId = "game {of} ours") {
  const session = { gameId, sessionKey: newId("key") };
  return {
    ...session,
    session,
    key: gameKeys.session(session.gameId, session.sessionKey),
    admit: (matchId: string, maxAds = 2, advertiserId = "adv_1") =>
      sessions.admit({ ...session, matchId, advertiserId, maxAds, idleMs: IDLE_MS }),
  };
}

describe("admit", () => {
  it("gives a session its seats and no more", async () => {
    const { admit } = newSession();
    const first = await admit("mat_1");
    expect(first).toEqual({ admitted: true, startedMs: expect.any(Number), count: 1, earlier: null });
    expect(Math.abs(first.startedMs - Date.now())).toBeLessThan(60_000);
    expect(await admit("mat_2")).toEqual({ ...first, count: 2 });
    expect(await admit("mat_3")).toEqual({ ...first, admitted: false, count: 2 });
    expect(await admit("mat_3", 3)).toEqual({ ...first, count: 3 });
  });

  it("gives nothing to a caller whose lease has expired by the clock of Redis", async () => {
    const { session, key } = newSession();
    const request = { ...session, matchId: "mat_1", advertiserId: "adv_1", maxAds: 2, idleMs: IDLE_MS };
    const [seconds] = await redis.time();
    const nowMs = Number(seconds) * 1_000;
    await expect(sessions.admit({ ...request, leaseExpiresMs: nowMs - 1 })).rejects.toThrow(LeaseExpired);
    expect(await redis.exists(key)).toBe(0);
    expect(await sessions.admit({ ...request, leaseExpiresMs: nowMs + 60_000 })).toMatchObject({ count: 1 });
  });

  it("answers a repeated match the same", async () => {
    const { admit } = newSession();
    const first = await admit("mat_1", 1);
    expect(await admit("mat_1", 1)).toEqual(first);
    expect(await admit("mat_2", 1)).toMatchObject({ admitted: false });
  });

  it("admits exactly as many as there are seats, also concurrently", async () => {
    const { admit } = newSession();
    const results = await Promise.all(Array.from({ length: 50 }, (_, i) => admit(`mat_${i}`, 7)));
    expect(results.filter(({ admitted }) => admitted)).toHaveLength(7);
  });

  it("tells an advertiser's ads from more than half of the idle time ago", async () => {
    const { admit, key, session } = newSession();
    const { startedMs } = await admit("mat_1", 9, "adv_1");
    await admit("mat_2", 9, "adv_2");
    await admit("mat_3", 9, "adv_1");
    expect(await admit("mat_4", 9, "adv_1")).toMatchObject({ count: 4, earlier: null });
    const pastMs = IDLE_MS / 2 + 1;
    await redis.hincrby(key, "started", -pastMs);
    const sinceMs = startedMs - pastMs;
    expect(await admit("mat_5", 9, "adv_1")).toMatchObject({
      earlier: { matchIds: ["mat_1", "mat_3", "mat_4"], sinceMs },
    });
    await sessions.returnSeat(session, "mat_1");
    expect((await admit("mat_6", 9, "adv_1")).earlier?.matchIds).toEqual(["mat_3", "mat_4"]);
    expect(await admit("mat_6", 9, "adv_2")).toMatchObject({ count: 5, earlier: { matchIds: ["mat_2"] } });
    expect(await admit("mat_7", 9, "adv_3")).toMatchObject({ earlier: null });
  });

  it("keeps the session alive, admitted or not", async () => {
    const { admit, key } = newSession();
    await admit("mat_1", 1);
    await redis.pexpire(key, 60_000);
    await admit("mat_2", 1);
    expect(await redis.pttl(key)).toBeGreaterThan(IDLE_MS - 60_000);
  });

  it("keeps games apart", async () => {
    const { admit, sessionKey } = newSession("one");
    await admit("mat_1", 1);
    const other = {
      gameId: "two",
      sessionKey,
      matchId: "mat_2",
      advertiserId: "adv_1",
      maxAds: 1,
      idleMs: IDLE_MS,
    };
    expect(await sessions.admit(other)).toMatchObject({ admitted: true });
  });

  it("refuses names that could be taken for something else", async () => {
    const { session } = newSession();
    const request = { ...session, matchId: "mat 1", advertiserId: "adv_1", maxAds: 1, idleMs: IDLE_MS };
    await expect(sessions.admit(request)).rejects.toThrow(RangeError);
  });
});

describe("touch", () => {
  it("keeps a session alive and begins none", async () => {
    const { admit, key, session } = newSession();
    await sessions.touch(session, IDLE_MS);
    expect(await redis.exists(key)).toBe(0);
    await admit("mat_1");
    await redis.pexpire(key, 60_000);
    await sessions.touch(session, IDLE_MS);
    expect(await redis.pttl(key)).toBeGreaterThan(IDLE_MS - 60_000);
  });

  it("returns how many ads the session has had, and takes no seat", async () => {
    const { admit, session } = newSession();
    expect(await sessions.touch(session, IDLE_MS)).toBe(0);
    await admit("mat_1");
    await admit("mat_2");
    await sessions.returnSeat(session, "mat_1");
    expect(await sessions.touch(session, IDLE_MS)).toBe(1);
    expect(await sessions.touch(session, IDLE_MS)).toBe(1);
  });
});

describe("returnSeat", () => {
  it("returns a seat once, and the session remains", async () => {
    const { admit, session } = newSession();
    const { startedMs } = await admit("mat_1", 1);
    await sessions.returnSeat(session, "mat_1");
    await sessions.returnSeat(session, "mat_1");
    await sessions.returnSeat(session, "mat_unknown");
    expect(await admit("mat_2", 1)).toEqual({ admitted: true, startedMs, count: 1, earlier: null });
  });
});
