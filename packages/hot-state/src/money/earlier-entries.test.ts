import { hash } from "node:crypto";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { RedisConnection } from "../connection.ts";
import { chargedField, encodeName, walletKeys } from "../keys.ts";
import { createMoneyCommands } from "./commands.ts";
import { holdOf } from "./holds.ts";
import { asReplay, HOLD_TTL_MS, TestWallet } from "./testing/wallet.ts";
import type { MoneyCommands } from "./types.ts";

let server: TestRedis;
let redis: RedisConnection;
let money: MoneyCommands;

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectTestRedis(server.url);
  money = createMoneyCommands(redis);
});

afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

describe("a lapsed match that an earlier version stored", () => {
  it("without the creative's id is charged without its id", async () => {
    const wallet = await TestWallet.open(money, redis);
    const match = await wallet.hold({}, { isCarried: true });
    await wallet.age(match, HOLD_TTL_MS + 1);
    expect(await money.release(holdOf(match), "lapsed")).toBe("released");
    const { advertiserId, campaignId, gameId, creativeId } = wallet;
    const matches = walletKeys.matches(advertiserId, campaignId, gameId);
    expect(await redis.hdel(matches, `${creativeId.slice(-12)}:`)).toBe(1);
    expect(await wallet.commit()).toMatchObject({ outcome: "charged", replay: false, record: { match } });
  });
});

describe("a charge that an earlier version remembered", () => {
  it.each(["with scope and creative", "without"])("%s is the answer to a retry", async (form) => {
    const wallet = await TestWallet.open(money, redis);
    const { advertiserId, campaignId, gameId, creativeId } = wallet;
    const { match_id: matchId } = await wallet.hold();
    const charged = await wallet.commit({ matchId });
    const [key, field] = [walletKeys.charged(advertiserId, matchId), chargedField(matchId)];
    const value = await redis.hgetBuffer(key, field);
    if (value === null) throw new Error("the charge is not there");
    const scope = `${campaignId}|${encodeName(gameId)}`;
    if (form === "without") value.fill(0, 7, 10);
    else hash("sha1", `${scope}|${creativeId}`, "buffer").copy(value, 7, 0, 3);
    await redis.hset(key, field, value);
    expect(await wallet.commit({ matchId })).toEqual(asReplay(charged));
  });
});
