import { newId } from "@diegetic/contracts";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { RedisConnection } from "../connection.ts";
import { DueIndex } from "../due/due-index.ts";
import { createGameSessions } from "../game-session/sessions.ts";
import { isRedisFull } from "../redis-unavailable.ts";
import { createMoneyCommands } from "./commands.ts";
import { holdOf } from "./holds.ts";
import { HOLD_TTL_MS, TestWallet } from "./testing/wallet.ts";

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

describe("when the memory of Redis is full", () => {
  it("nothing new is held, and all that ends a hold or frees memory works", async () => {
    const money = createMoneyCommands(redis);
    const wallet = await TestWallet.open(money, redis);
    const matches = [await wallet.hold(), await wallet.hold(), await wallet.hold()];
    const [billed, cancelled, lapsed] = matches;
    if (!billed || !cancelled || !lapsed) throw new Error("nothing is held");
    await wallet.age(lapsed, HOLD_TTL_MS);
    const isFull = (call: Promise<unknown>) => call.then(() => false, isRedisFull);

    await redis.config("SET", "maxmemory", "1");
    try {
      expect(await isFull(wallet.hold())).toBe(true);
      // The caps exist, and their lifetime is already longer than needed.
      expect(await isFull(wallet.hold({ session_key: billed.session_key }))).toBe(true);
      const { advertiserId, gameId } = wallet;
      const session = { advertiserId, gameId, sessionKey: newId("key"), idleMs: 600_000, maxAds: 5 };
      expect(await isFull(createGameSessions(redis).admit({ ...session, matchId: newId("mat") }))).toBe(true);
      expect(await wallet.spentAndHeld()).toEqual({ spent: 0, held: 3_000 });

      expect(await wallet.commit({ matchId: billed.match_id })).toMatchObject({
        outcome: "charged",
      });
      // A charge is announced to billing: 201 waits for that.
      const due = new DueIndex(redis);
      await due.register("outbox", wallet.advertiserId, 1_000);
      expect(await due.due("outbox", 1_000, 10)).toEqual([{ walletId: wallet.advertiserId, dueMs: 1_000 }]);
      expect(await due.reschedule("outbox", wallet.advertiserId, 1_000, 2_000)).toBe(true);
      expect(await money.release(holdOf(cancelled), "cancelled")).toBe("released");
      expect(await money.release(holdOf(lapsed), "lapsed")).toBe("released");
      expect(await money.ackOutbox(wallet.advertiserId, [billed.match_id.replace("mat_", "imp_")])).toBe(1);
      expect(await wallet.spentAndHeld()).toEqual({ spent: 1_000, held: 0 });
    } finally {
      await redis.config("SET", "maxmemory", "0");
    }
  });
});
