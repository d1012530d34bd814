import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Redis } from "ioredis";
import { connectRedis, type RedisConnection } from "../connection.ts";
import { DueIndex } from "../due/due-index.ts";
import { walletKeys } from "../keys.ts";
import { createMoneyCommands } from "./commands.ts";
import { holdOf } from "./holds.ts";
import { HOLD_TTL_MS, TestWallet } from "./testing/wallet.ts";
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

describe("the outbox", () => {
  it("is visited for a returned record that arrives after a visit", async () => {
    const wallet = await TestWallet.open(money, redis);
    const { match_id: matchId } = await wallet.hold();
    const charged = await wallet.commit({ matchId });
    if (charged.outcome !== "charged" || charged.replay) throw new Error("not charged now");
    const { record } = charged;
    await money.ackOutbox(wallet.advertiserId, [record.impression_id]);
    const due = new DueIndex(redis);
    const visitAll = async () => {
      for (const { walletId, dueMs } of await due.due("outbox", Date.now(), 100)) {
        await due.reschedule("outbox", walletId, dueMs, null);
      }
    };
    const outbox = walletKeys.outbox(wallet.advertiserId);
    const late = connectRedis(server.url, { name: "backlog-test-late" }) as Redis;
    const { sendCommand } = late;
    late.sendCommand = (command, stream) => {
      const send = () => sendCommand.call(late, command, stream);
      return command.args.map(String).includes(outbox) ? visitAll().then(send) : send();
    };
    await createMoneyCommands(late).returnToOutbox(record);
    late.disconnect();
    expect(await money.isInOutbox(wallet.advertiserId, record.impression_id)).toBe(true);
    const registered = await due.registered("outbox", 500);
    expect(registered.map(({ walletId }) => walletId)).toContain(wallet.advertiserId);
  });

  it("is listed in pages until nothing is left, and forgets what is acknowledged", async () => {
    const wallet = await TestWallet.open(money, redis);
    const expected: string[] = [];
    for (let i = 0; i < 60; i++) {
      const { match_id: matchId } = await wallet.hold();
      expected.push(matchId.replace("mat_", "imp_"));
      await wallet.commit({ matchId });
    }
    const seen = new Set<string>();
    let cursor: string | undefined;
    for (let page = 0; page < 60; page++) {
      const { items, cursor: next } = await money.listOutbox(wallet.advertiserId, 7, cursor);
      for (const record of items) seen.add(record.impression_id);
      if (next === null) break;
      cursor = next;
    }
    expect([...seen].sort()).toEqual(expected.sort());
    expect(await money.ackOutbox(wallet.advertiserId, expected.slice(1))).toBe(59);
    expect(await money.ackOutbox(wallet.advertiserId, expected.slice(1))).toBe(0);
    expect(await money.ackOutbox(wallet.advertiserId, [])).toBe(0);
    const left = await money.listOutbox(wallet.advertiserId, 500);
    expect(left.items.map((record) => record.impression_id)).toEqual(expected.slice(0, 1));
  });

  it("keeps pages and acknowledgements within their limits", async () => {
    await expect(money.listOutbox("adv_1", 501)).rejects.toThrow(RangeError);
    await expect(
      money.ackOutbox(
        "adv_1",
        Array.from({ length: 501 }, () => "imp_1"),
      ),
    ).rejects.toThrow(RangeError);
    expect(await money.listOutbox("adv_unknown", 10)).toEqual({ items: [], damaged: [], cursor: null });
  });

  it("returns damaged records apart from the others", async () => {
    const wallet = await TestWallet.open(money, redis);
    await wallet.hold();
    const charged = await wallet.commit();
    if (charged.outcome !== "charged") throw new Error(charged.reason);
    const texts = ["{", "null", "7", "{}", JSON.stringify({ ...charged.record, match: null })];
    texts.push(JSON.stringify(charged.record), JSON.stringify({ ...charged.record, recorded_at_ms: 1e300 }));
    const damaged = texts.map((text, index) => ({ field: `imp_bad_${index}`, text }));
    for (const { field, text } of damaged) {
      await redis.hset(walletKeys.outbox(wallet.advertiserId), field, text);
    }
    const page = await money.listOutbox(wallet.advertiserId, 500);
    expect(page.items).toEqual([charged.record]);
    expect(page.damaged).toHaveLength(damaged.length);
    expect(page.damaged).toEqual(expect.arrayContaining(damaged));
  });
});

describe("listLapsed", () => {
  it("lists the oldest first and returns when the next one lapses", async () => {
    const wallet = await TestWallet.open(money, redis);
    expect(await money.listLapsed(wallet.advertiserId, 10)).toEqual({
      holds: [],
      damaged: [],
      nextLapsesAtMs: null,
    });
    const open = await money.reserve(wallet.request());
    const matches = [];
    for (let i = 0; i < 3; i++) {
      const match = await wallet.hold({ game_id: `{game|${i}}` });
      await wallet.age(match, HOLD_TTL_MS + 10_000 - i * 1_000);
      matches.push(match);
    }
    const all = await money.listLapsed(wallet.advertiserId, 10);
    expect(all.holds.map(({ lapsesAtMs: _, ...hold }) => hold)).toEqual(
      matches.map((match) => ({ ...holdOf(match), matchedAtMs: null })),
    );
    expect(open).toMatchObject({ lapsesAtMs: all.nextLapsesAtMs });
    const firstTwo = await money.listLapsed(wallet.advertiserId, 2);
    expect(firstTwo.holds).toEqual(all.holds.slice(0, 2));
    expect(firstTwo.nextLapsesAtMs).toBe(all.holds[2]?.lapsesAtMs);
    for (const hold of all.holds) expect(await money.release(hold, "lapsed")).toBe("released");
    expect((await money.listLapsed(wallet.advertiserId, 10)).holds).toEqual([]);
    expect(await wallet.spentAndHeld()).toEqual({ spent: 0, held: 1_000 });
  });

  it("returns damaged members apart from the holds, and skips the requested number", async () => {
    const wallet = await TestWallet.open(money, redis);
    const match = await wallet.hold();
    await wallet.age(match, HOLD_TTL_MS);
    await redis.zadd(walletKeys.holds(wallet.advertiserId), 1, "mat_1");
    const { holds, damaged } = await money.listLapsed(wallet.advertiserId, 10);
    expect([holds.map(({ matchId }) => matchId), damaged]).toEqual([[match.match_id], ["mat_1"]]);
    const first = await money.listLapsed(wallet.advertiserId, 1);
    expect(first).toEqual({ holds: [], damaged: ["mat_1"], nextLapsesAtMs: holds[0]?.lapsesAtMs });
    const rest = await money.listLapsed(wallet.advertiserId, 1, 1);
    expect(rest).toEqual({ holds, damaged: [], nextLapsesAtMs: null });
  });

  it("treats a hold whose game name cannot be decoded as damaged", async () => {
    const wallet = await TestWallet.open(money, redis);
    const member = `mat_1|${wallet.campaignId}|%zz|session|1000`;
    await redis.zadd(walletKeys.holds(wallet.advertiserId), 1, member);
    expect(await money.listLapsed(wallet.advertiserId, 10)).toMatchObject({ holds: [], damaged: [member] });
  });
});

describe("listSessionReleases", () => {
  it("returns damaged session releases apart from the others", async () => {
    const wallet = await TestWallet.open(money, redis);
    const key = walletKeys.sessionRelease(wallet.advertiserId);
    const damaged = ["game", "", "a|b|c", "%zz|session"].map((text, index) => ({
      field: `mat_${index}`,
      text,
    }));
    for (const { field, text } of damaged) await redis.hset(key, field, text);
    await redis.hset(key, "mat_good", "game%20one|session");
    const page = await money.listSessionReleases(wallet.advertiserId, 10);
    expect(page.items).toEqual([{ matchId: "mat_good", gameId: "game one", sessionKey: "session" }]);
    expect(page.damaged).toHaveLength(damaged.length);
    expect(page.damaged).toEqual(expect.arrayContaining(damaged));
  });
});
