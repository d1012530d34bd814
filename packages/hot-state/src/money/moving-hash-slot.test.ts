import { newId } from "@diegetic/contracts";
import { type ClusterNode, HashSlotMove } from "@diegetic/testing/hash-slot-move";
import { startTestRedisCluster, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { RedisConnection } from "../connection.ts";
import { walletKeys } from "../keys.ts";
import { isRedisUnavailable } from "../redis-unavailable.ts";
import { createMoneyCommands } from "./commands.ts";
import { holdOf } from "./holds.ts";
import { HOLD_TTL_MS, TestWallet, today } from "./testing/wallet.ts";

const SESSION = "session";
const PRICE = 1_000;

let server: TestRedis;
let redis: RedisConnection;
let nodes: ClusterNode[];
let wallet: TestWallet;

beforeAll(async () => {
  server = await startTestRedisCluster();
  redis = connectTestRedis(server.url);
  nodes = server.url
    .replace("redis-cluster://", "")
    .split(",")
    .map((address) => ({
      connection: connectTestRedis(`redis://${address}`),
      port: Number(address.split(":")[1]),
    }));
});
afterAll(async () => {
  for (const { connection } of nodes) connection.disconnect();
  redis.disconnect();
  await server.stop();
});

/** Three impressions, with and without the match id and late: every key of the wallet is there, and no match is open. */
beforeEach(async () => {
  wallet = await TestWallet.open(createMoneyCommands(redis), redis);
  const { money, advertiserId, campaignId, gameId } = wallet;
  await wallet.commit({ matchId: (await wallet.hold({ session_key: SESSION })).match_id });
  await wallet.hold({ session_key: SESSION });
  await wallet.commit();
  const unused = await wallet.hold({ session_key: SESSION });
  await wallet.age(unused, 2 * HOLD_TTL_MS);
  expect(await money.release(holdOf(unused), "lapsed")).toBe("released");
  expect(await wallet.commit({ matchId: unused.match_id })).toMatchObject({ outcome: "charged" });
  await money.settle({
    epoch: 0,
    kind: "late",
    impressionId: newId("imp"),
    matchId: newId("mat"),
    walletId: advertiserId,
    campaignId,
    gameId,
    priceMillicents: PRICE,
    day: today(),
    committedInEpoch: 0,
  });
});

/** From here on the wallet is on its way to another node. A key that is not there any more is sought on that one. */
function beginMove(): Promise<HashSlotMove> {
  return HashSlotMove.begin(nodes, wallet.advertiserId, (others) => others[0] ?? 0);
}

describe("scripts on a wallet that is about to move", () => {
  it.each([true, false])("charge the last open match, once (named: %s)", async (isNamed) => {
    const match = await wallet.hold({ session_key: SESSION });
    const operationId = newId("op");
    const request = { operationId, matchId: isNamed ? match.match_id : null };
    const move = await beginMove();
    expect(await wallet.commit(request)).toMatchObject({ outcome: "charged", replay: false });
    expect(await wallet.spentAndHeld()).toEqual({ spent: 5 * PRICE, held: 0 });
    const { advertiserId, campaignId, gameId } = wallet;
    const known = await redis.hkeys(walletKeys.matches(advertiserId, campaignId, gameId));
    expect(known.includes(`op:${operationId}`)).toBe(!isNamed);
    await move.finish();
  });

  it.each([true, false])("let a match lapse, and charge it late, once (named: %s)", async (isNamed) => {
    const match = await wallet.hold({ session_key: SESSION });
    await wallet.age(match, HOLD_TTL_MS + 1_000);
    await wallet.hold({ session_key: "another_session" });
    const move = await beginMove();
    expect(await wallet.money.release(holdOf(match), "lapsed")).toBe("released");
    expect(await wallet.spentAndHeld()).toEqual({ spent: 4 * PRICE, held: PRICE });
    expect(await wallet.commit({ matchId: isNamed ? match.match_id : null })).toMatchObject({
      outcome: "charged",
      record: { match: { match_id: match.match_id } },
    });
    expect(await wallet.spentAndHeld()).toEqual({ spent: 5 * PRICE, held: PRICE });
    await move.finish();
  });

  it.each(["commit", "commit late", "reserve", "release lapsed", "release cancelled"])(
    "%s where every match is carried by its id",
    async (script) => {
      const { money, advertiserId, campaignId, gameId } = wallet;
      const hold = async () => {
        const request = wallet.request({ session_key: SESSION, game_id: "carried" }, { isCarried: true });
        const held = await money.reserve(request);
        if (held.outcome !== "held") throw new Error(`refused: ${held.reason}`);
        const { lapsesAtMs, validFromEpoch } = held;
        const carried = { facts: request.match, heldAtMs: lapsesAtMs - HOLD_TTL_MS, validFromEpoch };
        return {
          match: request.match,
          request: { gameId: "carried", matchId: request.match.match_id, carried },
        };
      };
      await wallet.commit((await hold()).request);
      const [first, second] = [await hold(), await hold()];
      await wallet.age(second.match, HOLD_TTL_MS);
      if (script === "commit late")
        expect(await money.release(holdOf(second.match), "lapsed")).toBe("released");
      const move = await beginMove();
      const charged = { outcome: "charged", replay: false };
      if (script === "commit") expect(await wallet.commit(first.request)).toMatchObject(charged);
      if (script === "commit late") expect(await wallet.commit(second.request)).toMatchObject(charged);
      if (script === "reserve") expect((await hold()).match.price_millicents).toBe(PRICE);
      if (script === "release lapsed")
        expect(await money.release(holdOf(second.match), "lapsed")).toBe("released");
      if (script === "release cancelled")
        expect(await money.release(holdOf(first.match), "cancelled")).toBe("released");
      expect(await redis.exists(walletKeys.history(advertiserId, campaignId, "carried"))).toBe(1);
      expect(await redis.exists(walletKeys.history(advertiserId, campaignId, gameId))).toBe(1);
      await move.finish();
    },
  );

  it("cancel the last open match", async () => {
    const match = await wallet.hold({ session_key: SESSION });
    const move = await beginMove();
    expect(await wallet.money.release(holdOf(match), "cancelled")).toBe("released");
    expect(await wallet.spentAndHeld()).toEqual({ spent: 4 * PRICE, held: 0 });
    const { advertiserId, campaignId, gameId } = wallet;
    const history = await redis.zrange(walletKeys.history(advertiserId, campaignId, gameId), "0", "-1");
    expect(history).toContain(match.match_id);
    await move.finish();
  });

  it("settle the last open match", async () => {
    const match = await wallet.hold({ session_key: SESSION });
    const { advertiserId, campaignId, gameId } = wallet;
    const settlement = {
      epoch: 0,
      kind: "late" as const,
      impressionId: newId("imp"),
      matchId: match.match_id,
      walletId: advertiserId,
      campaignId,
      gameId,
      priceMillicents: PRICE,
      day: today(),
      committedInEpoch: 0,
    };
    const move = await beginMove();
    expect(await wallet.money.settle(settlement)).toBe("settled");
    expect(await wallet.spentAndHeld()).toEqual({ spent: 5 * PRICE, held: 0 });
    await move.finish();
  });

  it("hold nothing, or all of it, where the matches of before are void", async () => {
    await wallet.hold({ session_key: SESSION });
    await redis.hset(walletKeys.account(wallet.advertiserId), "era", "7");
    await wallet.hold({ session_key: SESSION, game_id: "another game" });
    const before = await wallet.spentAndHeld();
    const cap = walletKeys.cap(wallet.advertiserId, wallet.gameId, SESSION);
    const appearances = await redis.hgetall(cap);
    const move = await beginMove();
    const answer = await wallet.money
      .reserve(wallet.request({ session_key: SESSION }))
      .catch((error) => error);
    expect(isRedisUnavailable(answer)).toBe(true);
    expect(await wallet.spentAndHeld()).toEqual(before);
    expect(await redis.hgetall(cap)).toEqual(appearances);
    await move.finish();
  });
});
