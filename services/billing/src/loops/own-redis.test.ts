import { ForeignRedis, InstallationClaim, type RedisConnection } from "@diegetic/hot-state";
import { createLogger } from "@diegetic/service-kit";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { OwnRedis } from "./own-redis.ts";

const OWNER = "{snapshot}:installation";
const lines: string[] = [];
const logger = createLogger(
  { service: "billing", instance: "test", level: "info" },
  { write: (line) => void lines.push(line) },
);
const running = new AbortController().signal;

let server: TestRedis;
let redis: RedisConnection;
let checks: number;
/** What the next checks reject with. */
let failure: Error | undefined;
let passes: number;
let ownRedis: OwnRedis;
let guarded: (signal: AbortSignal) => Promise<void>;

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectTestRedis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});
beforeEach(async () => {
  await redis.flushall();
  [checks, passes, failure] = [0, 0, undefined];
  lines.length = 0;
  const claim = new InstallationClaim(redis, async () => "inst_own");
  const check = async () => {
    checks += 1;
    if (failure !== undefined) throw failure;
    await claim.check();
  };
  ownRedis = new OwnRedis({ claim: { check }, workers: [], logger });
  guarded = ownRedis.guard(async () => {
    passes += 1;
  });
});

describe("a pass of billing", () => {
  it("checks Redis itself until a check has succeeded, and claims it", async () => {
    await guarded(running);
    expect(await redis.get(OWNER)).toBe("inst_own");
    expect([checks, passes]).toEqual([1, 1]);
  });

  it("relies on the last check from then on", async () => {
    await ownRedis.check();
    for (let pass = 0; pass < 3; pass += 1) await guarded(running);
    expect([checks, passes]).toEqual([1, 3]);
  });

  it("is skipped once a check has found another installation's claim, until Redis is its own again", async () => {
    await ownRedis.check();
    await redis.set(OWNER, "inst_other");
    await ownRedis.check();
    await guarded(running);
    expect(passes).toBe(0);
    await redis.set(OWNER, "inst_own");
    await guarded(running);
    expect(passes).toBe(1);
  });

  it("that meets another installation's Redis is logged, and the next one checks before it runs", async () => {
    await ownRedis.check();
    const meeting = ownRedis.guard(async () => {
      passes += 1;
      throw new ForeignRedis("inst_other", "inst_own");
    });
    await meeting(running);
    expect(lines).toEqual([expect.stringContaining("redis belongs to another installation")]);
    expect(checks).toBe(1);
    await redis.set(OWNER, "inst_other");
    await meeting(running);
    expect([checks, passes]).toEqual([2, 1]);
  });

  it("fails while Redis cannot be checked, and then claims a Redis that has lost its data", async () => {
    await ownRedis.check();
    failure = new Error("Redis is down");
    await expect(ownRedis.check()).rejects.toThrow("Redis is down");
    await expect(guarded(running)).rejects.toThrow("Redis is down");
    expect(passes).toBe(0);
    failure = undefined;
    await redis.flushall();
    await guarded(running);
    expect(await redis.get(OWNER)).toBe("inst_own");
    expect(passes).toBe(1);
  });
});
