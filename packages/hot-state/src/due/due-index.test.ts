import { startTestRedis, startTestRedisCluster, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { rounds } from "@diegetic/testing/rounds";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { RedisConnection } from "../connection.ts";
import { dueKeys } from "../keys.ts";
import { DueIndex } from "./due-index.ts";

const servers: [string, () => Promise<TestRedis>][] = [
  ["Redis", () => startTestRedis()],
  ["Redis Cluster", () => startTestRedisCluster()],
];

describe.each(servers)("due index on %s", (_kind, startServer) => {
  let server: TestRedis;
  let redis: RedisConnection;
  let clockMs: number;

  beforeAll(async () => {
    server = await startServer();
    redis = connectTestRedis(server.url);
  });

  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  beforeEach(async () => {
    clockMs = 1_800_000_000_000;
    await clear();
  });

  async function clear(): Promise<void> {
    for (const kind of ["holds", "outbox"] as const) await redis.del(dueKeys[kind], dueKeys.announced(kind));
  }

  function newIndex(maxRemembered?: number): DueIndex {
    return new DueIndex(redis, {
      nowMs: () => clockMs,
      ...(maxRemembered === undefined ? {} : { maxRemembered }),
    });
  }

  it("lists who is due, longest due first, by kind and up to a limit", async () => {
    const index = newIndex();
    await index.register("holds", "adv_b", clockMs + 200);
    await index.register("holds", "adv_a", clockMs + 100);
    await index.register("holds", "adv_c", clockMs + 300);
    await index.register("outbox", "adv_d", clockMs + 50);
    expect(await index.due("holds", clockMs + 99, 10)).toEqual([]);
    expect(await index.due("holds", clockMs + 200, 10)).toEqual([
      { walletId: "adv_a", dueMs: clockMs + 100 },
      { walletId: "adv_b", dueMs: clockMs + 200 },
    ]);
    expect(await index.due("holds", clockMs + 1_000, 1)).toEqual([
      { walletId: "adv_a", dueMs: clockMs + 100 },
    ]);
    expect(await index.registered("outbox", 10)).toEqual([{ walletId: "adv_d", dueMs: clockMs + 50 }]);
    await expect(index.due("holds", clockMs, 0)).rejects.toThrow(RangeError);
  });

  it("keeps the earlier moment", async () => {
    await newIndex().register("holds", "adv", clockMs + 600_000);
    await newIndex().register("holds", "adv", clockMs + 2_000);
    await newIndex().register("holds", "adv", clockMs + 900_000);
    expect(await newIndex().registered("holds", 10)).toEqual([{ walletId: "adv", dueMs: clockMs + 2_000 }]);
  });

  it("costs one call per advertiser and period", async () => {
    const index = newIndex();
    await index.register("holds", "adv", clockMs + 600_000);
    await clear();
    clockMs += 594_999;
    await index.register("holds", "adv", clockMs + 600_000);
    expect(await index.registered("holds", 10)).toEqual([]);
    clockMs += 1;
    await index.register("holds", "adv", clockMs + 600_000);
    expect(await index.registered("holds", 10)).toHaveLength(1);
  });

  it("costs no more while due advertisers are not visited", async () => {
    const index = newIndex();
    await index.register("outbox", "adv", clockMs + 5_000);
    clockMs += 6_000;
    await index.register("outbox", "adv", clockMs + 5_000);
    await clear();
    clockMs += 3_749;
    await index.register("outbox", "adv", clockMs + 5_000);
    expect(await index.registered("outbox", 10)).toEqual([]);
    clockMs += 1;
    await index.register("outbox", "adv", clockMs + 5_000);
    expect(await index.registered("outbox", 10)).toHaveLength(1);
  });

  it("moves or removes a visited entry, but not one that changed meanwhile", async () => {
    const index = newIndex();
    const dueMs = clockMs + 1_000;
    await index.register("holds", "adv", dueMs);
    expect(await index.reschedule("holds", "adv", dueMs, dueMs + 500)).toBe(true);
    expect(await index.reschedule("holds", "adv", dueMs, null)).toBe(false);
    expect(await index.registered("holds", 10)).toEqual([{ walletId: "adv", dueMs: dueMs + 500 }]);
    expect(await index.reschedule("holds", "adv", dueMs + 500, null)).toBe(true);
    expect(await index.registered("holds", 10)).toEqual([]);
    expect(await redis.exists(dueKeys.announced("holds"))).toBe(0);
  });

  it("keeps an entry that another instance still remembers", async () => {
    const slow = newIndex();
    const quick = newIndex();
    await slow.register("holds", "adv", clockMs + 600_000);
    await quick.register("holds", "adv", clockMs + 2_000);
    clockMs += 2_000;
    await quick.reschedule("holds", "adv", clockMs, null);
    await slow.register("holds", "adv", clockMs + 600_000); // Remembered: sends nothing.
    expect(await quick.registered("holds", 10)).toEqual([{ walletId: "adv", dueMs: clockMs + 2_000 }]);
  });

  it("visits by the shorter time to live of instances that differ", async () => {
    const long = newIndex();
    const short = newIndex();
    const startMs = clockMs;
    await long.register("holds", "adv", startMs + 300_000);
    await short.register("holds", "adv", startMs + 5_000);
    clockMs = startMs + 4_000;
    await short.register("holds", "adv", clockMs + 5_000);
    clockMs = startMs + 4_900;
    await short.register("holds", "adv", clockMs + 5_000); // Remembered: its hold arrives after the visit.
    clockMs = startMs + 5_000;
    await long.reschedule("holds", "adv", clockMs, null);
    const [next] = await long.registered("holds", 10);
    expect(next?.dueMs).toBeLessThanOrEqual(startMs + 10_000);
    // While no instance announces a short time, visits become rarer.
    let visits = 0;
    for (; (await long.registered("holds", 10)).length > 0; visits++) {
      clockMs = (await long.registered("holds", 10))[0]?.dueMs ?? 0;
      await long.reschedule("holds", "adv", clockMs, null);
    }
    expect(visits).toBeLessThan(10);
    expect(clockMs).toBe(startMs + 300_000);
    expect(await redis.exists(dueKeys.announced("holds"))).toBe(0);
  });

  it("keeps a short time to live in mind through visits for other work", async () => {
    const long = newIndex();
    const short = newIndex();
    const startMs = clockMs;
    await long.register("holds", "adv", startMs + 590_000);
    await short.register("holds", "adv", startMs + 5_000);
    // Holds of the earlier setting lapse one after another.
    await long.register("holds", "adv", startMs + 400);
    for (clockMs = startMs + 400; clockMs < startMs + 3_600; clockMs += 400) {
      await long.reschedule("holds", "adv", clockMs, clockMs + 400);
    }
    await long.reschedule("holds", "adv", clockMs, null);
    const [next] = await long.registered("holds", 10);
    expect(next?.dueMs).toBeLessThanOrEqual(startMs + 10_000);
  });

  it("remembers a bounded number of advertisers", async () => {
    const index = newIndex(2);
    for (const id of ["a", "b", "c"]) await index.register("holds", id, clockMs + 10_000);
    await clear();
    for (const id of ["c", "b", "a"]) await index.register("holds", id, clockMs + 10_000);
    expect((await index.registered("holds", 10)).map(({ walletId }) => walletId)).toEqual(["a"]);
  });

  it("never loses an advertiser: model of instances, their work and the visits", async () => {
    const action = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          kind: fc.constant("work" as const),
          instance: fc.integer({ min: 0, max: 2 }),
          advertiser: fc.integer({ min: 0, max: 1 }),
          arrivesAfterMs: fc.integer({ min: 0, max: 400 }),
          skewMs: fc.integer({ min: -MAX_SKEW_MS, max: MAX_SKEW_MS }),
        }),
      },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant("visit" as const) }) },
      {
        weight: 3,
        arbitrary: fc.record({ kind: fc.constant("pass" as const), ms: fc.integer({ min: 1, max: 20_000 }) }),
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
        await clear();
        const world = new World(redis);
        for (const step of actions) {
          if (step.kind === "work") await world.work(step);
          else if (step.kind === "visit") await world.visitAndExpectPromptness();
          else world.pass(step.ms);
          await world.expectNobodyLost();
        }
        for (let i = 0; i < 20; i += 1) {
          world.pass(10_000);
          await world.visit();
        }
        expect(world.openWork).toEqual([]);
        expect(await redis.zcard(dueKeys.holds)).toBe(0);
        expect(await redis.exists(dueKeys.announced("holds"))).toBe(0);
      }),
      { numRuns: rounds(50, 300) },
    );
  });
});

interface Work {
  walletId: string;
  /** When the script whose effects were announced has run. */
  arrivesMs: number;
  dueMs: number;
  ttlMs: number;
}

/** Of each instance, as when HOLD_TTL_SECONDS is being changed. */
const TTLS_MS = [2_000, 5_000, 60_000];
const MAX_SKEW_MS = 20;

/** The naive model: everything announced and not yet looked at after it was due. */
class World {
  openWork: Work[] = [];
  #nowMs = 1_800_000_000_000;
  #skewMs = 0;
  readonly #indexes: DueIndex[];

  constructor(redis: RedisConnection) {
    this.#indexes = TTLS_MS.map(() => new DueIndex(redis, { nowMs: () => this.#nowMs + this.#skewMs }));
  }

  async work(step: { instance: number; advertiser: number; arrivesAfterMs: number; skewMs: number }) {
    this.#skewMs = step.skewMs;
    const walletId = `adv_${step.advertiser}`;
    const ttlMs = TTLS_MS[step.instance] ?? 0;
    const dueMs = this.#nowMs + step.skewMs + ttlMs;
    await this.#indexes[step.instance]?.register("holds", walletId, dueMs);
    this.openWork.push({ walletId, arrivesMs: this.#nowMs + step.arrivesAfterMs, dueMs, ttlMs });
  }

  pass(ms: number): void {
    this.#nowMs += ms;
  }

  /** What the releaser does: ends what has lapsed and names the next moment of what is there. */
  async visit(): Promise<void> {
    const [index] = this.#indexes;
    if (index === undefined) return;
    for (const { walletId, dueMs } of await index.due("holds", this.#nowMs, 1_000)) {
      const there = this.openWork.filter(
        (work) => work.walletId === walletId && work.arrivesMs <= this.#nowMs,
      );
      const lapsed = new Set(there.filter((work) => work.dueMs <= this.#nowMs));
      this.openWork = this.openWork.filter((work) => !lapsed.has(work));
      const next = there.filter((work) => !lapsed.has(work)).map((work) => work.dueMs);
      await index.reschedule("holds", walletId, dueMs, next.length === 0 ? null : Math.min(...next));
    }
  }

  /** No other instance's times make work wait for long after it is due. */
  async visitAndExpectPromptness(): Promise<void> {
    await this.visit();
    const entries = (await this.#indexes[0]?.registered("holds", 1_000)) ?? [];
    const times = new Map(entries.map(({ walletId, dueMs }) => [walletId, dueMs]));
    for (const { walletId, dueMs, ttlMs } of this.openWork) {
      expect(times.get(walletId)).toBeLessThan(Math.max(dueMs, this.#nowMs) + 2 * ttlMs + 2 * MAX_SKEW_MS);
    }
  }

  async expectNobodyLost(): Promise<void> {
    const listed = new Set(
      (await this.#indexes[0]?.registered("holds", 1_000))?.map((entry) => entry.walletId),
    );
    for (const { walletId } of this.openWork) expect(listed).toContain(walletId);
  }
}
