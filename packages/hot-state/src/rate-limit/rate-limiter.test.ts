import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis, startTestRedisCluster, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { rounds } from "@diegetic/testing/rounds";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { connectRedis, type RedisConnection } from "../connection.ts";
import { rateLimitKeys } from "../keys.ts";
import { isRedisUnavailable } from "../redis-unavailable.ts";
import { type RateLimitAnswer, RateLimiter } from "./rate-limiter.ts";

/** So long that no test meets the end of a window. */
const ENDLESS_MS = 10_000_000_000;
/** How many instances share a limit evenly. */
const SHARERS = [100, 250].slice(0, rounds(1, 2));

const servers: [string, () => Promise<TestRedis>][] = [
  ["Redis", () => startTestRedis()],
  ["Redis Cluster", () => startTestRedisCluster()],
];

describe.each(servers)("rate limiter on %s", (_kind, startServer) => {
  let server: TestRedis;
  let redis: RedisConnection;
  let keys = 0;

  beforeAll(async () => {
    server = await startServer();
    redis = connectTestRedis(server.url);
    await eventually(() => redis.get("ready").then(() => true));
  });

  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  function newKey(): string {
    keys += 1;
    return `key_${keys}`;
  }

  async function usedOf(key: string): Promise<number> {
    return Number(await redis.hget(rateLimitKeys.bucket(`match:${key}`), "used"));
  }

  it("counts remaining down to zero, then refuses", async () => {
    const limiter = new RateLimiter(redis, { windowMs: ENDLESS_MS });
    const key = newKey();
    const answers: RateLimitAnswer[] = [];
    for (let i = 0; i < 7; i += 1) answers.push(await limiter.take("match", key, 5, Date.now()));
    expect(answers.map(({ remaining }) => remaining)).toEqual([4, 3, 2, 1, 0, 0, 0]);
    expect(answers.map(({ allowed }) => allowed)).toEqual([true, true, true, true, true, false, false]);
    expect(answers.every(({ limit }) => limit === 5)).toBe(true);
    const [first] = answers;
    expect(first?.resetUnixSeconds).toBe((Math.floor(Date.now() / ENDLESS_MS) + 1) * (ENDLESS_MS / 1000));
  });

  it("rejects as if Redis were unavailable when 10 000 requests wait for a bucket", async () => {
    const limiter = new RateLimiter(redis, { windowMs: ENDLESS_MS });
    const key = newKey();
    const takes = Array.from({ length: 10_001 }, () => limiter.take("match", key, 20_000, Date.now()));
    const answers = await Promise.allSettled(takes);
    const refused = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
    expect(refused.map(isRedisUnavailable)).toEqual([true]);
  });

  it("never allows more than the limit over several instances, and small limits exactly", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 51, max: 2_000 })),
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 12 }),
        async (limit, instances, bursts) => {
          const key = newKey();
          const limiters = Array.from(
            { length: instances },
            () => new RateLimiter(redis, { windowMs: ENDLESS_MS }),
          );
          const answers: RateLimitAnswer[] = [];
          for (const burst of bursts) {
            const takes = Array.from({ length: burst }, (_, i) =>
              limiters[i % instances]?.take("match", key, limit, Date.now()),
            );
            for (const answer of await Promise.all(takes)) if (answer !== undefined) answers.push(answer);
          }
          const allowed = answers.filter((answer) => answer.allowed).length;
          expect(allowed).toBeLessThanOrEqual(limit);
          if (limit <= 50 || instances === 1) expect(allowed).toBe(Math.min(limit, answers.length));
          expect(answers.every(({ remaining }) => remaining >= 0 && remaining <= limit)).toBe(true);
        },
      ),
      { numRuns: rounds(20, 60) },
    );
  });

  it("gives out the whole of a large limit to one instance, mostly without asking Redis", async () => {
    const limiter = new RateLimiter(redis, { windowMs: ENDLESS_MS });
    const key = newKey();
    let allowed = 0;
    let local = 0;
    for (let i = 0; i < 1_050; i += 1) {
      const before = await usedOf(key);
      if ((await limiter.take("match", key, 1_000, Date.now())).allowed) allowed += 1;
      if ((await usedOf(key)) === before) local += 1;
    }
    expect(allowed).toBe(1_000);
    expect(local).toBeGreaterThan(750);
  });

  it.each(SHARERS)("refuses few requests below a limit that %s instances share evenly", async (count) => {
    const limit = 1_000;
    /** Of a window, after another one that told the bucket how many the instances are. Null: the requests took longer than both. */
    const allowedIn = async (windowMs: number) => {
      const limiters = Array.from({ length: count }, () => new RateLimiter(redis, { windowMs }));
      const key = newKey();
      const endOfWindow = () => (Math.floor(Date.now() / windowMs) + 1) * windowMs;
      /** Sends `limit` requests. */
      const drawAll = async () => {
        const answers: RateLimitAnswer[] = [];
        for (let sent = 0; sent < limit; sent += count) {
          const takes = limiters.map((limiter) => limiter.take("match", key, limit, Date.now()));
          answers.push(...(await Promise.all(takes)));
        }
        return answers;
      };
      const beginMs = endOfWindow();
      await eventually(() => Date.now() >= beginMs);
      const ends = [];
      let answers: RateLimitAnswer[] = [];
      for (let window = 1; window <= 2; window += 1) {
        answers = await drawAll();
        ends.push(...answers.map(({ resetUnixSeconds }) => resetUnixSeconds * 1_000 - window * windowMs));
        const endMs = endOfWindow();
        if (window === 1) await eventually(() => Date.now() >= endMs);
      }
      const isInTime = ends.every((endMs) => endMs === beginMs);
      return isInTime ? answers.filter(({ allowed }) => allowed).length : null;
    };
    let allowed = null;
    // On a busy machine, the requests take longer.
    for (let windowMs = 1_000; allowed === null && windowMs < 60_000; windowMs *= 2)
      allowed = await allowedIn(windowMs);
    expect(allowed).toBeGreaterThanOrEqual(limit * 0.95);
  });

  it("starts again with each window and carries nothing over", async () => {
    const windowMs = 1_000;
    const limit = 120;
    const limiters = [1, 2, 3].map(() => new RateLimiter(redis, { windowMs }));
    const key = newKey();
    const allowedByWindow = new Map<number, number>();
    const exhausted = () => [...allowedByWindow.values()].filter((allowed) => allowed > limit * 0.9);
    const takeMore = async () => {
      for (let takes = 0; takes < limit; takes += limiters.length) {
        const answers = await Promise.all(
          limiters.map((limiter) => limiter.take("match", key, limit, Date.now())),
        );
        for (const { allowed, resetUnixSeconds } of answers) {
          if (!allowed) continue;
          allowedByWindow.set(resetUnixSeconds, (allowedByWindow.get(resetUnixSeconds) ?? 0) + 1);
        }
      }
      return allowedByWindow.size >= 3 && exhausted().length >= 2;
    };
    await eventually(takeMore, { everyMs: windowMs / 5 });
    for (const allowed of allowedByWindow.values()) expect(allowed).toBeLessThanOrEqual(limit);
  });

  it("does not use quota whose window has ended, nor after the clock went back", async () => {
    const limiter = new RateLimiter(redis, { windowMs: ENDLESS_MS });
    const key = newKey();
    await limiter.take("match", key, 1_000, Date.now());
    expect(await usedOf(key)).toBe(20);
    await limiter.take("match", key, 1_000, Date.now());
    expect(await usedOf(key)).toBe(20);
    await limiter.take("match", key, 1_000, Date.now() + ENDLESS_MS);
    expect(await usedOf(key)).toBe(39);
    await limiter.take("match", key, 1_000, Date.now() - 60_000);
    expect(await usedOf(key)).toBe(58);
  });

  it("says how long to wait by the clock of the windows, whatever the caller's says", async () => {
    const limiter = new RateLimiter(redis);
    const key = newKey();
    const nowMs = Date.UTC(2020, 0, 1, 12);
    for (let use = 0; use < 2; use += 1) {
      const { windowLeftMs } = await limiter.take("match", key, 1, nowMs);
      expect(windowLeftMs).toBeGreaterThan(0);
      expect(windowLeftMs).toBeLessThanOrEqual(60_000);
    }
  });

  it("applies a changed limit at once", async () => {
    const limiter = new RateLimiter(redis, { windowMs: ENDLESS_MS });
    const key = newKey();
    await limiter.take("match", key, 3, Date.now());
    await limiter.take("match", key, 3, Date.now());
    expect((await limiter.take("match", key, 2, Date.now())).allowed).toBe(false);
    expect(await limiter.take("match", key, 4, Date.now())).toMatchObject({ allowed: true, remaining: 1 });
  });

  it("wastes no quota when two limits of a bucket alternate, and applies each to its own requests", async () => {
    const limiter = new RateLimiter(redis, { windowMs: ENDLESS_MS });
    const key = newKey();
    for (let use = 0; use < 10; use += 1) {
      await limiter.take("match", key, 1_000, Date.now());
      await limiter.take("match", key, 2_000, Date.now());
    }
    expect(await usedOf(key)).toBeLessThanOrEqual(40);
    const [small, large] = await Promise.all([
      limiter.take("match", key, 20, Date.now()),
      limiter.take("match", key, 1_000, Date.now()),
    ]);
    expect([small, large]).toMatchObject([
      { allowed: false, limit: 20, remaining: 0 },
      { allowed: true, limit: 1_000 },
    ]);
  });

  it("answers requests that wait together, each by its own limit", async () => {
    const key = newKey();
    const limiter = new RateLimiter(redis, { windowMs: ENDLESS_MS });
    for (let use = 0; use < 10; use += 1) await limiter.take("match", key, 50, Date.now());
    const other = new RateLimiter(redis, { windowMs: ENDLESS_MS });
    const answers = await Promise.all(
      [50, 5, 60, 11, 10].map((limit) => other.take("match", key, limit, Date.now())),
    );
    expect(answers.map(({ allowed }) => allowed)).toEqual([true, false, true, false, false]);
  });

  it("forgets the bucket that was not used for longest", async () => {
    const limiter = new RateLimiter(redis, { windowMs: ENDLESS_MS, maxBuckets: 2 });
    const [often, rarely, last] = [newKey(), newKey(), newKey()];
    for (const key of [often, rarely, often, last, often, rarely]) {
      await limiter.take("match", key, 1_000, Date.now());
    }
    expect([await usedOf(often), await usedOf(rarely)]).toEqual([20, 39]);
  });

  it("forgets no bucket of a key for buckets of addresses", async () => {
    const limiter = new RateLimiter(redis, { windowMs: ENDLESS_MS, maxBuckets: 2 });
    const key = newKey();
    await limiter.take("match", key, 1_000, Date.now());
    for (let n = 0; n < 5; n += 1) await limiter.take("address", `${n} ${key}`, 100, Date.now());
    await limiter.take("match", key, 1_000, Date.now());
    expect(await usedOf(key)).toBe(20);
  });

  it("remembers a bounded number of buckets and stays exact", async () => {
    const limiter = new RateLimiter(redis, { windowMs: ENDLESS_MS, maxBuckets: 3 });
    const keys = Array.from({ length: 10 }, newKey);
    let allowed = 0;
    for (let round = 0; round < 4; round += 1) {
      for (const key of keys) if ((await limiter.take("match", key, 2, Date.now())).allowed) allowed += 1;
    }
    expect(allowed).toBe(20);
  });
});

it("refuses to guess when Redis is unavailable, and recovers", async () => {
  const server = await startTestRedis();
  const redis = connectRedis(server.url, { name: "rate-limit-unavailable", commandTimeoutMs: 3_000 });
  redis.on("error", () => undefined);
  const limiter = new RateLimiter(redis, { windowMs: ENDLESS_MS });
  await limiter.take("match", "a", 5, Date.now());
  await server.stop();
  await expect(limiter.take("match", "a", 5, Date.now())).rejects.toThrow();
  const again = await startTestRedis({ port: Number(new URL(server.url).port) });
  const answer = await eventually(() => limiter.take("match", "a", 5, Date.now()));
  expect(answer).toMatchObject({ allowed: true, remaining: 4 });
  redis.disconnect();
  await again.stop();
});
