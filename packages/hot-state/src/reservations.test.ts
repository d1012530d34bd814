import { newId } from "@diegetic/contracts";
import { startTestRedis, startTestRedisCluster, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { RedisConnection } from "./connection.ts";
import { type AdmitRequest, createGameSessions, type GameSessions } from "./game-session/sessions.ts";
import { createMoneyCommands } from "./money/commands.ts";
import { holdOf } from "./money/holds.ts";
import { DEFAULT_IMPRESSION_TIMES } from "./money/impression-times.ts";
import type { ReserveRequest } from "./money/reserve.ts";
import { SESSION_IDLE_MS, TestWallet } from "./money/testing/wallet.ts";
import type { MoneyCommands } from "./money/types.ts";
import { isRedisFull } from "./redis-unavailable.ts";
import { createReserveAndAdmit, type ReserveAndAdmit, reserveAndAdmitAtOnce } from "./reservations.ts";
import { LeaseExpired } from "./snapshot/lease.ts";

const SOON_MS = 60_000;

let server: TestRedis;
let redis: RedisConnection;
let money: MoneyCommands;
let sessions: GameSessions;
beforeAll(async () => {
  server = await startTestRedis();
  redis = connectTestRedis(server.url);
  money = createMoneyCommands(redis);
  sessions = createGameSessions(redis);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

function seatOf({ match }: ReserveRequest, maxAds: number): AdmitRequest {
  return {
    gameId: match.game_id,
    sessionKey: match.session_key,
    matchId: match.match_id,
    advertiserId: match.advertiser_id,
    maxAds,
    idleMs: SESSION_IDLE_MS,
  };
}

const ways: [string, () => ReserveAndAdmit][] = [
  ["one command", () => createReserveAndAdmit(redis, DEFAULT_IMPRESSION_TIMES, { money, sessions })],
  ["two commands", () => reserveAndAdmitAtOnce({ money, sessions })],
];

describe.each(ways)("a reservation and its session seat by %s", (_name, createWay) => {
  it("are taken, refused and counted independently of each other", async () => {
    const reserveAndAdmit = createWay();
    const wallet = await TestWallet.open(money, redis, { budgetMillicents: 2_000 });
    const session_key = newId("key");
    const creatives = [
      { creativeId: newId("crt"), maxUses: 20, rotatesHooks: true },
      { creativeId: newId("crt"), maxUses: 1 },
    ];
    const ask = (maxAds: number) => {
      const request = wallet.request({ session_key }, { creatives });
      return reserveAndAdmit(request, seatOf(request, maxAds));
    };
    const [first, firstSeat] = await ask(2);
    expect(first).toMatchObject({ outcome: "held", timesSeen: 0 });
    expect(firstSeat).toMatchObject({ admitted: true, count: 1, earlier: null });
    if (first.outcome !== "held") throw new Error("nothing is held");
    expect(Math.abs(firstSeat.startedMs - first.capSinceMs)).toBeLessThan(SOON_MS);
    const [second, secondSeat] = await ask(1);
    expect(second).toMatchObject({ outcome: "held", timesSeen: 0, capSinceMs: first.capSinceMs });
    expect(secondSeat).toMatchObject({ admitted: false, count: 1, startedMs: firstSeat.startedMs });
    const [third, thirdSeat] = await ask(2);
    expect(third).toMatchObject({ outcome: "refused", reason: "budget", lasts: null });
    expect(thirdSeat).toMatchObject({ admitted: true, count: 2 });
    expect(await wallet.spentAndHeld()).toEqual({ spent: 0, held: 2_000 });
  });

  it("are the same when they are taken again", async () => {
    const reserveAndAdmit = createWay();
    const wallet = await TestWallet.open(money, redis);
    const request = wallet.request();
    const first = await reserveAndAdmit(request, seatOf(request, 1));
    expect(await reserveAndAdmit(request, seatOf(request, 1))).toEqual(first);
    expect(await wallet.spentAndHeld()).toEqual({ spent: 0, held: 1_000 });
  });

  it("fail with the lease, and leave a hold that can be cancelled", async () => {
    const wallet = await TestWallet.open(money, redis);
    const request = wallet.request();
    const seat = { ...seatOf(request, 1), leaseExpiresMs: 1 };
    await expect(createWay()(request, seat)).rejects.toThrow(LeaseExpired);
    expect(await money.release(holdOf(request.match), "cancelled")).toBe("released");
    expect(await sessions.touch(seat, SESSION_IDLE_MS)).toBe(0);
  });

  it("are neither taken while memory is full", async () => {
    const reserveAndAdmit = createWay();
    const wallet = await TestWallet.open(money, redis);
    const request = wallet.request();
    const seat = seatOf(request, 1);
    await redis.config("SET", "maxmemory", "1");
    try {
      const failure = await reserveAndAdmit(request, seat).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(isRedisFull(failure)).toBe(true);
    } finally {
      await redis.config("SET", "maxmemory", "0");
    }
    expect(await wallet.spentAndHeld()).toEqual({ spent: 0, held: 0 });
    expect(await sessions.touch(seat, SESSION_IDLE_MS)).toBe(0);
  });

  it("reach no script with a wrong number", async () => {
    const wallet = await TestWallet.open(money, redis);
    const request = wallet.request({ price_millicents: 0 });
    await expect(createWay()(request, seatOf(request, 1))).rejects.toThrow(RangeError);
    expect(await wallet.spentAndHeld()).toEqual({ spent: 0, held: 0 });
  });
});

it("are taken by two commands where a single address leads to a cluster's server", async () => {
  const cluster = await startTestRedisCluster(1);
  const node = connectTestRedis(cluster.url.replace("redis-cluster:", "redis:"));
  try {
    const commands = { money: createMoneyCommands(node), sessions: createGameSessions(node) };
    const reserveAndAdmit = createReserveAndAdmit(node, DEFAULT_IMPRESSION_TIMES, commands);
    const wallet = await TestWallet.open(commands.money, node);
    for (const count of [1, 2]) {
      const request = wallet.request();
      const [reservation, admission] = await reserveAndAdmit(request, seatOf(request, 1));
      expect(reservation.outcome).toBe("held");
      expect(admission).toMatchObject({ admitted: true, count: 1 });
      expect(await wallet.spentAndHeld()).toEqual({ spent: 0, held: count * 1_000 });
    }
  } finally {
    node.disconnect();
    await cluster.stop();
  }
});
