import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { rounds } from "@diegetic/testing/rounds";
import { type StallingProxy, startStallingProxy } from "@diegetic/testing/stalling-proxy";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { connectRedis, type RedisConnection } from "../connection.ts";
import { createGameSessions } from "../game-session/sessions.ts";
import { snapshotKeys } from "../keys.ts";
import { SnapshotFollower } from "./follower.ts";
import { LeaseExpired } from "./lease.ts";
import { SnapshotPublisher } from "./publisher.ts";

const LEASE_MS = 250;

/** A match instance that reaches Redis by a wire which can be frozen and cut. */
class Instance {
  value = 0;
  readonly follower: SnapshotFollower;
  readonly proxy: StallingProxy;
  readonly #redis: RedisConnection;

  constructor(proxy: StallingProxy, name: string, monotonicMs?: () => number) {
    this.proxy = proxy;
    this.#redis = connectRedis(`redis://127.0.0.1:${proxy.port}`, { name, commandTimeoutMs: 400 });
    this.#redis.on("error", () => undefined);
    this.follower = new SnapshotFollower(this.#redis, {
      instance: name,
      leaseMs: LEASE_MS,
      ...(monotonicMs && { monotonicMs }),
      onChange: ({ name, json }) => {
        if (name === "value") this.value = json === null ? 0 : Number(json);
      },
    });
    this.follower.start();
  }

  async stop(): Promise<void> {
    this.proxy.resume();
    await this.follower.stop();
    this.#redis.disconnect();
    await this.proxy.stop();
  }
}

describe("leases", () => {
  let server: TestRedis;
  let redis: RedisConnection;
  let publisher: SnapshotPublisher;
  let instances: Instance[];
  let value = 0;

  beforeAll(async () => {
    server = await startTestRedis();
    redis = connectTestRedis(server.url);
    publisher = new SnapshotPublisher(redis, { leaseMs: LEASE_MS });
    await publisher.rebuild([[{ name: "value", rowVersion: 0, json: "0" }]]);
    const port = Number(new URL(server.url).port);
    instances = await Promise.all(
      ["one", "two"].map(async (name) => new Instance(await startStallingProxy(port), name)),
    );
    await allFresh();
    // A young server makes everybody wait: see leases_behind.
    await publisher.awaitPropagation(1, 60_000);
  });

  afterAll(async () => {
    await Promise.all(instances.map((instance) => instance.stop()));
    redis.disconnect();
    await server.stop();
  });

  async function allFresh(): Promise<void> {
    await Promise.all(instances.map(({ follower }) => follower.waitUntilFresh(60_000)));
  }

  function publishNext(): Promise<number> {
    value += 1;
    return publisher.publish([{ name: "value", rowVersion: value, json: String(value) }]);
  }

  it("are renewed while the memory of Redis is full", async () => {
    await allFresh();
    const leases = () => redis.hgetall(snapshotKeys.leases);
    await redis.config("SET", "maxmemory", "1");
    try {
      for (let renewals = 0; renewals < 2; renewals += 1) {
        const before = await leases();
        await eventually(async () => {
          // One that an instance had before it loaded again may still be there.
          const renewed = Object.entries(await leases()).filter(([name, lease]) => lease !== before[name]);
          return renewed.length >= instances.length;
        });
      }
      await allFresh();
    } finally {
      await redis.config("SET", "maxmemory", "0");
    }
  });

  it("waits for a frozen instance until it no longer serves, not longer than its lease", async () => {
    const [one, two] = instances;
    if (one === undefined || two === undefined) throw new Error("two instances are needed");
    const waitForFrozen = async (): Promise<number> => {
      one.proxy.stall();
      const startedAt = performance.now();
      const version = await publishNext();
      await publisher.awaitPropagation(version, 60_000);
      const tookMs = performance.now() - startedAt;
      // On a busy machine the lease of the other may have run out, too.
      if (two.follower.isFresh()) expect(two.value).toBe(value);
      expect(one.follower.isFresh()).toBe(false);
      expect(one.value).toBe(value - 1);

      one.proxy.resume();
      await allFresh();
      expect([one.value, two.value]).toEqual([value, value]);
      return tookMs;
    };
    // A busy machine may be slow for a moment, but not each time.
    let shortestMs = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 10 && shortestMs >= LEASE_MS + 1_000; i += 1) {
      shortestMs = Math.min(shortestMs, await waitForFrozen());
    }
    expect(shortestMs).toBeLessThan(LEASE_MS + 1_000);
  });

  it("end within one lease although the clock of Redis went back, also while its memory is full", async () => {
    const redisMs = async () => {
      const [seconds, microseconds] = await redis.time();
      return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
    };
    const version = await publishNext();
    const startedMs = await redisMs();
    await redis.hset(snapshotKeys.leases, "crashed", `${version - 1}:${startedMs + 3_600_000}:1`);
    await redis.config("SET", "maxmemory", "1");
    try {
      await publisher.awaitPropagation(version, 20_000);
    } finally {
      await redis.config("SET", "maxmemory", "0");
      await redis.hdel(snapshotKeys.leases, "crashed");
    }
    expect((await redisMs()) - startedMs).toBeGreaterThanOrEqual(LEASE_MS);
  });

  it("takes milliseconds when nobody is frozen", async () => {
    await allFresh();
    // A busy machine may be slow for a moment, but not each time.
    await eventually(async () => {
      const startedAt = performance.now();
      for (let i = 0; i < 20; i += 1) await publisher.awaitPropagation(await publishNext(), 60_000);
      return (performance.now() - startedAt) / 20 < LEASE_MS / 4;
    });
  });

  it("never reports a change as in force while an instance may serve older data", async () => {
    const index = fc.integer({ min: 0, max: 1 });
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.record({ kind: fc.constant("publish" as const) }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant("stall" as const), index }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant("resume" as const), index }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant("cut" as const), index }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("flush" as const) }) },
      {
        weight: 3,
        arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 150 }) }),
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
        const violations: string[] = [];
        const pending: Promise<void>[] = [];
        for (const action of steps) {
          if (action.kind === "publish") pending.push(publishAndWatch(violations));
          else if (action.kind === "stall") instances[action.index]?.proxy.stall();
          else if (action.kind === "resume") instances[action.index]?.proxy.resume();
          else if (action.kind === "cut") instances[action.index]?.proxy.breakConnections();
          else if (action.kind === "wait") await new Promise((resolve) => setTimeout(resolve, action.ms));
          else await loseSnapshot();
        }
        await Promise.all(pending);
        for (const { proxy } of instances) proxy.resume();
        await publishAndWatch(violations);
        await eventually(() =>
          instances.every((instance) => instance.follower.isFresh() && instance.value === value),
        );
        expect(violations).toEqual([]);
      }),
      { numRuns: rounds(6, 20) },
    );
  });

  /** Publishes a value; once it is in force, no instance may serve an earlier one. */
  async function publishAndWatch(violations: string[]): Promise<void> {
    value += 1;
    const published = value;
    const version = await publisher.publish([
      { name: "value", rowVersion: published, json: String(published) },
    ]);
    try {
      await publisher.awaitPropagation(version, 5_000);
    } catch {
      return; // The snapshot was lost meanwhile: the caller got no confirmation that the change is in force.
    }
    const until = performance.now() + 30;
    do {
      for (const instance of instances) {
        if (instance.follower.isFresh() && instance.value < published) {
          violations.push(`${instance.value} was served after ${published} was in force`);
        }
      }
      await new Promise((resolve) => setImmediate(resolve));
    } while (performance.now() < until);
  }

  async function loseSnapshot(): Promise<void> {
    await redis.flushall();
    await publisher.rebuild([[{ name: "value", rowVersion: value, json: String(value) }]]);
  }

  it("leaves no lease of an instance that has stopped", async () => {
    await Promise.all(instances.map((instance) => instance.stop()));
    const leases = Object.entries(await redis.hgetall(snapshotKeys.leases));
    const live = leases.filter(([, lease]) => Number(lease.split(":")[1]) > Date.now());
    expect(live).toEqual([]);
  });

  it("expire by the clock of Redis while that of a suspended instance stands still", async () => {
    const proxy = await startStallingProxy(Number(new URL(server.url).port));
    const instance = new Instance(proxy, "suspended", () => 0);
    try {
      await instance.follower.waitUntilFresh(60_000);
      proxy.stall();
      // A last renewal may still have been on its way.
      await eventually(async () => {
        const [seconds] = await redis.time();
        return Number(seconds) * 1_000 > instance.follower.leaseExpiresMs;
      });
      expect(instance.follower.isFresh()).toBe(true);
      const session = { gameId: "game", sessionKey: "session", maxAds: 1, idleMs: 1_000 };
      const match = { ...session, matchId: "mat_1", advertiserId: "adv_1" };
      const decided = { ...match, leaseExpiresMs: instance.follower.leaseExpiresMs };
      await expect(createGameSessions(redis).admit(decided)).rejects.toThrow(LeaseExpired);
    } finally {
      await instance.stop();
    }
  });
});

describe("a Redis that becomes unavailable", () => {
  it("makes followers stop serving, keep trying and load again", async () => {
    const dir = await mkdtemp(join(tmpdir(), "diegetic-restart-"));
    let server = await startTestRedis({ dir, appendonly: true });
    const port = Number(new URL(server.url).port);
    const redis = connectRedis(server.url, { name: "restart-test", commandTimeoutMs: 3_000 });
    redis.on("error", () => undefined);
    const publisher = new SnapshotPublisher(redis, { leaseMs: LEASE_MS });
    const entities = new Map<string, string | null>();
    const errors: Error[] = [];
    const follower = new SnapshotFollower(redis, {
      instance: "restart",
      leaseMs: LEASE_MS,
      onError: (error) => errors.push(error),
      onChange: ({ name, json }) => {
        entities.set(name, json);
      },
    });
    try {
      await publisher.rebuild([[{ name: "a", rowVersion: 1, json: "1" }]]);
      follower.start();
      await follower.waitUntilFresh(60_000);

      await server.stop();
      await eventually(() => !follower.isFresh() && errors.length >= 2);
      await expect(follower.catchUp()).rejects.toThrow();
      await expect(publisher.publish([])).rejects.toThrow();

      server = await startTestRedis({ dir, port, appendonly: true });
      // Everything is there, but who knows: nothing is served before it has been published again.
      await eventually(() => publisher.needsRebuild());
      await expect(follower.catchUp()).rejects.toThrow();
      expect(follower.isFresh()).toBe(false);
      await publisher.rebuild([[{ name: "a", rowVersion: 1, json: "1" }]]);
      await eventually(() => follower.isFresh());
      expect(await publisher.needsRebuild()).toBe(false);
      const version = await publisher.publish([{ name: "b", rowVersion: 1, json: "2" }]);
      await publisher.awaitPropagation(version, 60_000);
      // Its lease may have ended meanwhile, and then nobody waited for it.
      await follower.waitUntilFresh(60_000);
      expect(Object.fromEntries(entities)).toEqual({ a: "1", b: "2" });

      await server.stop();
      await rm(dir, { recursive: true, force: true });
      server = await startTestRedis({ port });
      await eventually(() => publisher.needsRebuild());
      await eventually(() => !follower.isFresh()); // Its last lease may still have lived.
      await publisher.rebuild([[{ name: "a", rowVersion: 1, json: "1" }]]);
      await eventually(() => follower.isFresh());
      expect(entities.get("b")).toBe(null);
    } finally {
      await follower.stop();
      redis.disconnect();
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    }
  });
});
