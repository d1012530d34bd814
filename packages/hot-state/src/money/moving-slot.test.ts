import { newId } from "@diegetic/contracts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { startTestRedisCluster, type TestRedis } from "../../../../tests/helpers/redis.ts";
import { type ClusterNode, SlotMove } from "../../../../tests/helpers/slot-move.ts";
import { connectRedis, type RedisConnection } from "../connection.ts";
import { advertiserKeys } from "../keys.ts";
import { isRedisAway } from "../redis-away.ts";
import { createMoneyCommands } from "./commands.ts";
import { holdOf } from "./holds.ts";
import { HOLD_TTL_MS, TestSlot, today } from "./testing/slot.ts";

const SESSION = "session";
const PRICE = 1_000;

let server: TestRedis;
let redis: RedisConnection;
let nodes: ClusterNode[];
let slot: TestSlot;

beforeAll(async () => {
  server = await startTestRedisCluster();
  redis = connectRedis(server.url, { name: "moving-slot-test" });
  nodes = server.url
    .replace("redis-cluster://", "")
    .split(",")
    .map((address) => ({
      connection: connectRedis(`redis://${address}`, { name: "moving-slot-test" }),
      port: Number(address.split(":")[1]),
    }));
}, 60_000);
afterAll(async () => {
  for (const { connection } of nodes) connection.disconnect();
  redis.disconnect();
  await server.stop();
});

/** One impression, one hold that has lapsed, one late impression: every key of the slot is there. */
beforeEach(async () => {
  slot = await TestSlot.open(createMoneyCommands(redis), redis);
  const { money, advertiserId, campaignId, gameId } = slot;
  await slot.commit({ matchId: (await slot.hold({ session_key: SESSION })).match_id });
  const unused = await slot.hold({ session_key: SESSION });
  await slot.age(unused, 2 * HOLD_TTL_MS);
  expect(await money.release(holdOf(unused), "lapsed")).toBe("released");
  expect(await slot.commit({ matchId: unused.match_id })).toMatchObject({ outcome: "charged" });
  await money.settle({
    epoch: 0,
    kind: "late",
    impressionId: newId("imp"),
    matchId: newId("mat"),
    advertiserId,
    campaignId,
    gameId,
    priceMillicents: PRICE,
    day: today(),
    committedInEpoch: 0,
  });
});

/** From here on the slot is on its way to another node. A key that is not there any more is sought on that one. */
function beginMove(): Promise<SlotMove> {
  return SlotMove.begin(nodes, slot.advertiserId, (others) => others[0] ?? 0);
}

describe("scripts on a slot that is about to move", () => {
  it.each([true, false])("charge the last open match, once (named: %s)", async (isNamed) => {
    const match = await slot.hold({ session_key: SESSION });
    const operationId = newId("op");
    const request = { operationId, matchId: isNamed ? match.match_id : null };
    const move = await beginMove();
    expect(await slot.commit(request)).toMatchObject({ outcome: "charged", replay: false });
    expect(await slot.spentAndHeld()).toEqual({ spent: 4 * PRICE, held: 0 });
    const { advertiserId, campaignId, gameId } = slot;
    const known = await redis.hkeys(advertiserKeys.matches(advertiserId, campaignId, gameId));
    expect(known.includes(`op:${operationId}`)).toBe(!isNamed);
    await move.finish();
  });

  it("cancel the last open match", async () => {
    const match = await slot.hold({ session_key: SESSION });
    const move = await beginMove();
    expect(await slot.money.release(holdOf(match), "cancelled")).toBe("released");
    expect(await slot.spentAndHeld()).toEqual({ spent: 3 * PRICE, held: 0 });
    const { advertiserId, campaignId, gameId } = slot;
    const history = await redis.zrange(advertiserKeys.history(advertiserId, campaignId, gameId), "0", "-1");
    expect(history).toContain(match.match_id);
    await move.finish();
  });

  it("settle the last open match", async () => {
    const match = await slot.hold({ session_key: SESSION });
    const { advertiserId, campaignId, gameId } = slot;
    const settlement = {
      epoch: 0,
      kind: "late" as const,
      impressionId: newId("imp"),
      matchId: match.match_id,
      advertiserId,
      campaignId,
      gameId,
      priceMillicents: PRICE,
      day: today(),
      committedInEpoch: 0,
    };
    const move = await beginMove();
    expect(await slot.money.settle(settlement)).toBe("settled");
    expect(await slot.spentAndHeld()).toEqual({ spent: 4 * PRICE, held: 0 });
    await move.finish();
  });

  it("hold nothing, or all of it, where the matches of before are void", async () => {
    await slot.hold({ session_key: SESSION });
    await redis.hset(advertiserKeys.account(slot.advertiserId), "era", "7");
    await slot.hold({ session_key: SESSION, game_id: "another game" });
    const before = await slot.spentAndHeld();
    const cap = advertiserKeys.cap(slot.advertiserId, slot.gameId, SESSION);
    const appearances = await redis.hgetall(cap);
    const move = await beginMove();
    const answer = await slot.money.reserve(slot.request({ session_key: SESSION })).catch((error) => error);
    expect(isRedisAway(answer)).toBe(true);
    expect(await slot.spentAndHeld()).toEqual(before);
    expect(await redis.hgetall(cap)).toEqual(appearances);
    await move.finish();
  });
});
