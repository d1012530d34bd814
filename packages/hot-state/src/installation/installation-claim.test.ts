import { startTestRedis, startTestRedisCluster, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { RedisConnection } from "../connection.ts";
import { installationKeys } from "../keys.ts";
import { describeRedisUnavailable, isRedisUnavailable } from "../redis-unavailable.ts";
import { ForeignRedis } from "./foreign-redis.ts";
import { InstallationClaim } from "./installation-claim.ts";

const servers: [string, () => Promise<TestRedis>][] = [
  ["Redis", () => startTestRedis()],
  ["Redis Cluster", () => startTestRedisCluster()],
];

describe.each(servers)("an installation's claim on %s", (kind, startServer) => {
  let server: TestRedis;
  let redis: RedisConnection;

  beforeAll(async () => {
    server = await startServer();
    redis = connectTestRedis(server.url);
    // Every claim listens to the connection.
    redis.setMaxListeners(0);
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });
  beforeEach(async () => {
    await redis.del(installationKeys.owner);
  });

  const claimOf = (id: string) => new InstallationClaim(redis, async () => id);
  const owner = () => redis.get(installationKeys.owner);

  it("is made once, stays, and is found again", async () => {
    await claimOf("inst_1").check();
    await claimOf("inst_1").check();
    expect(await owner()).toBe("inst_1");
    expect(await redis.pttl(installationKeys.owner)).toBe(-1);
  });

  it("refuses every other installation in one sentence that says what to do, and changes nothing", async () => {
    await claimOf("inst_1").check();
    const error = await claimOf("inst_2")
      .check()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ForeignRedis);
    expect(isRedisUnavailable(error)).toBe(true);
    expect(describeRedisUnavailable(error)).toMatch(/^The Redis at REDIS_URL belongs .* DATABASE_URL .*\.$/);
    expect(await owner()).toBe("inst_1");
  });

  it("has one winner among those who ask at the same time", async () => {
    const ids = Array.from({ length: 20 }, (_, number) => `inst_${number}`);
    const outcomes = await Promise.allSettled(ids.map((id) => claimOf(id).check()));
    const winners = ids.filter((_, number) => outcomes[number]?.status === "fulfilled");
    expect(winners).toEqual([await owner()]);
  });

  it("is created again if Redis has lost it, and respected if Redis belongs to another installation", async () => {
    const claim = claimOf("inst_1");
    await claim.check();
    await redis.del(installationKeys.owner);
    await claim.check();
    expect(await owner()).toBe("inst_1");

    await redis.set(installationKeys.owner, "inst_2");
    await claim.expectOwn();
    await expect(claim.check()).rejects.toThrow(ForeignRedis);
    await expect(claim.expectOwn()).rejects.toThrow(ForeignRedis);
    await redis.set(installationKeys.owner, "inst_1");
    await claim.check();
    await claim.expectOwn();
  });

  it("is verified before the first use of Redis, although nothing has checked it yet", async () => {
    await claimOf("inst_1").expectOwn();
    expect(await owner()).toBeNull();
    await claimOf("inst_1").check();
    await expect(claimOf("inst_2").expectOwn()).rejects.toThrow(ForeignRedis);
  });

  it("can be checked without being made", async () => {
    await claimOf("inst_1").verify();
    expect(await owner()).toBeNull();
    await claimOf("inst_1").check();
    await claimOf("inst_1").verify();
    await expect(claimOf("inst_2").verify()).rejects.toThrow(ForeignRedis);
  });

  it("asks for the id until it is answered, then never again", async () => {
    let attempts = 0;
    const claim = new InstallationClaim(redis, async () => {
      attempts += 1;
      if (attempts === 1) throw new Error("Postgres is unavailable");
      return "inst_1";
    });
    await expect(claim.check()).rejects.toThrow("Postgres is unavailable");
    await claim.check();
    await claim.check();
    expect(attempts).toBe(2);
  });

  if (kind === "Redis") {
    it("is made while memory is full: billing has to empty it", async () => {
      await redis.config("SET", "maxmemory", "1");
      try {
        await claimOf("inst_1").check();
        await claimOf("inst_1").check();
        await expect(claimOf("inst_2").check()).rejects.toThrow(ForeignRedis);
      } finally {
        await redis.config("SET", "maxmemory", "0");
      }
    });
  }
});
