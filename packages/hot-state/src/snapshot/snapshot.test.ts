import { eventually } from "@diegetic/testing/eventually";
import { forgetLostLeases } from "@diegetic/testing/new-redis";
import { startTestRedis, startTestRedisCluster, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { RedisConnection } from "../connection.ts";
import { snapshotKeys } from "../keys.ts";
import { SnapshotFollower } from "./follower.ts";
import { NotPropagatedError, SnapshotLostError } from "./lease.ts";
import { type SnapshotEntry, SnapshotPublisher } from "./publisher.ts";

/** Seldom ends while a test runs on a busy machine: nobody waits for a copy without one. */
const LEASE_MS = 1_500;

/** A follower whose copy is a plain map. */
class Copy {
  readonly entities = new Map<string, string>();
  readonly errors: Error[] = [];
  readonly follower: SnapshotFollower;

  constructor(redis: RedisConnection, instance: string, beforeChange: () => void = () => undefined) {
    this.follower = new SnapshotFollower(redis, {
      instance,
      leaseMs: LEASE_MS,
      onError: (error) => this.errors.push(error),
      onChange: ({ name, json }) => {
        beforeChange();
        if (json === null) this.entities.delete(name);
        else this.entities.set(name, json);
      },
    });
  }
}

const servers: [string, () => Promise<TestRedis>][] = [
  ["Redis", () => startTestRedis()],
  ["Redis Cluster", () => startTestRedisCluster()],
];

describe.each(servers)("snapshot on %s", (_kind, startServer) => {
  let server: TestRedis;
  let redis: RedisConnection;
  let publisher: SnapshotPublisher;
  let copies: Copy[];

  beforeAll(async () => {
    server = await startServer();
    redis = connectTestRedis(server.url);
  });

  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  beforeEach(async () => {
    await redis.del(...Object.values(snapshotKeys));
    publisher = new SnapshotPublisher(redis, { leaseMs: LEASE_MS });
    copies = [];
  });

  afterEach(async () => {
    await Promise.all(copies.map((copy) => copy.follower.stop()));
  });

  /** The first snapshot of a test. Nobody has a lease from before: changes need not wait for its end. */
  async function publishFirst(entries: readonly SnapshotEntry[]): Promise<number> {
    const version = await publisher.rebuild([entries]);
    await forgetLostLeases(server.url);
    return version;
  }

  async function follow(instance = "a", beforeChange?: () => void): Promise<Copy> {
    const copy = new Copy(redis, instance, beforeChange);
    copies.push(copy);
    copy.follower.start();
    await copy.follower.waitUntilFresh(60_000);
    return copy;
  }

  /** Waits for a version. A copy whose lease has ended meanwhile is waited for until it serves again. */
  async function awaitVersion(version: number, ...following: Copy[]): Promise<void> {
    await publisher.awaitPropagation(version, 60_000);
    const late = following.filter(({ follower }) => !follower.isFresh());
    await Promise.all(late.map(({ follower }) => follower.waitUntilFresh(60_000)));
  }

  it("loads what was published before and follows what changes after", async () => {
    await publishFirst([entry("a", 1), entry("b", 1)]);
    const copy = await follow();
    const { entities } = copy;
    expect(entities).toEqual(
      new Map([
        ["a", '{"a":1}'],
        ["b", '{"b":1}'],
      ]),
    );

    const version = await publisher.publish([
      entry("a", 2),
      { name: "b", rowVersion: 2, json: null },
      entry("c", 1),
    ]);
    await awaitVersion(version, copy);
    expect(entities).toEqual(
      new Map([
        ["a", '{"a":2}'],
        ["c", '{"c":1}'],
      ]),
    );
  });

  it("ignores older rows, repeated ones, and does not bring back what was removed", async () => {
    await publishFirst([entry("a", 5), entry("gone", 3)]);
    const removed = await publisher.publish([{ name: "gone", rowVersion: 4, json: null }]);
    const { entities } = await follow();

    expect(await publisher.publish([entry("a", 4), entry("a", 5), entry("gone", 3)])).toBe(removed);
    await publisher.awaitPropagation(removed, 60_000);
    expect(entities).toEqual(new Map([["a", '{"a":5}']]));
    expect(await redis.hlen(snapshotKeys.entities)).toBe(1);
  });

  describe("forget of removed entities", () => {
    const gone = { name: "gone", rowVersion: 2 };
    const isKnown = async (name: string) => [
      await redis.hexists(snapshotKeys.rowVersions, name),
      (await redis.zscore(snapshotKeys.log, name)) === null ? 0 : 1,
    ];

    it("forgets their versions, in Redis and in followers that have lost their leases", async () => {
      await publishFirst([entry("a", 1), entry("gone", 1)]);
      let isBehind = false;
      const copy = await follow("behind", () => {
        if (isBehind) throw new Error("cannot apply it yet");
      });
      isBehind = true;
      await publisher.publish([{ ...gone, json: null }]);
      const version = await publisher.publish([entry("b", 1)]);
      await publisher.forget([gone]);
      expect(await isKnown("gone")).toEqual([1, 1]);

      await publisher.awaitPropagation(version, 60_000);
      await redis.del(snapshotKeys.leases);
      await publisher.forget([gone]);
      expect(await isKnown("gone")).toEqual([0, 0]);
      expect([...copy.entities.keys()]).toEqual(["a", "gone"]);
      isBehind = false;
      await copy.follower.waitUntilFresh(60_000);
      expect([...copy.entities.keys()]).toEqual(["a", "b"]);
      expect((await follow("new")).entities).toEqual(copy.entities);
    });

    it("forgets nothing of those that exist, are newer, or changed last", async () => {
      await publisher.rebuild([[entry("a", 1), entry("gone", 1)]]);
      await publisher.publish([
        { ...gone, rowVersion: 3, json: null },
        { name: "last", rowVersion: 1, json: null },
      ]);
      const last = { name: "last", rowVersion: 1 };
      const asked = [{ name: "a", rowVersion: 1 }, gone, last, { name: "unknown", rowVersion: 1 }];
      expect(await publisher.forget(asked)).toEqual(new Set(["unknown"]));
      for (const name of ["a", "gone", "last"]) expect(await isKnown(name)).toEqual([1, 1]);
      expect([...(await follow()).entities.keys()]).toEqual(["a"]);
      expect(await publisher.forget([{ ...gone, rowVersion: 3 }])).toEqual(new Set(["gone"]));
      expect(await isKnown("gone")).toEqual([0, 0]);
    });
  });

  it("publishes a row of the same version again when its text differs", async () => {
    const before = await publisher.rebuild([[entry("a", 1)]]);
    expect(await publisher.publish([{ name: "a", rowVersion: 1, json: '{"new":"field"}' }])).toBe(before + 1);
  });

  it("is empty until a rebuild is complete, and followers do not serve before", async () => {
    expect(await publisher.needsRebuild()).toBe(true);
    await publisher.publish([entry("a", 1)]);
    expect(await publisher.needsRebuild()).toBe(true);
    const copy = new Copy(redis, "early");
    copies.push(copy);
    copy.follower.start();
    await expect(copy.follower.catchUp()).rejects.toThrow("not published yet");
    expect(copy.follower.isFresh()).toBe(false);

    await publisher.rebuild([[entry("b", 1)]]);
    expect(await publisher.needsRebuild()).toBe(false);
    await copy.follower.waitUntilFresh(60_000);
    expect([...copy.entities.keys()].sort()).toEqual(["a", "b"]);
  });

  it("opens an empty product, too", async () => {
    await publisher.rebuild([]);
    expect(await publisher.needsRebuild()).toBe(false);
    expect((await follow()).entities.size).toBe(0);
  });

  it("reloads after the snapshot was lost, and forgets what is no longer there", async () => {
    await publisher.rebuild([[entry("a", 1), entry("old", 1)]]);
    const { entities, follower } = await follow();
    const version = await publisher.publish([entry("a", 2)]);
    await redis.del(...Object.values(snapshotKeys));

    await expect(publisher.awaitPropagation(version, 60_000)).rejects.toThrow(SnapshotLostError);
    await eventually(() => follower.state === "loading" && !follower.isFresh());
    expect(await publisher.needsRebuild()).toBe(true);
    await publisher.rebuild([[entry("a", 2), entry("new", 1)]]);
    await follower.waitUntilFresh(60_000);
    expect([...entities.keys()].sort()).toEqual(["a", "new"]);
  });

  it("reloads when Redis comes back with older data", async () => {
    await publishFirst([entry("a", 1)]);
    const dump = await dumpAll(redis);
    const copy = await follow();
    const { entities, follower } = copy;
    await awaitVersion(await publisher.publish([entry("a", 2), entry("b", 1), entry("c", 1)]), copy);

    await restoreAll(redis, dump);
    expect(await publisher.needsRebuild()).toBe(true);
    await publisher.rebuild([[entry("a", 2), entry("x", 1), entry("y", 1), entry("z", 1)]]);
    expect(await publisher.needsRebuild()).toBe(false);
    await eventually(() => [...entities.keys()].sort().join() === "a,x,y,z");
    await follower.waitUntilFresh(60_000);
    expect(entities.get("a")).toBe('{"a":2}');
  });

  it("notices a rollback that later changes have overtaken", async () => {
    await publishFirst([entry("a", 1)]);
    const copy = await follow();
    const { entities, follower } = copy;
    const dump = await dumpAll(redis);
    await awaitVersion(await publisher.publish([entry("lost", 1)]), copy);
    expect(entities.has("lost")).toBe(true);

    await restoreAll(redis, dump);
    const other = new SnapshotPublisher(redis, { leaseMs: LEASE_MS });
    await other.publish([entry("b", 1), entry("c", 1), entry("d", 1)]);
    await eventually(() => entities.has("d") && follower.isFresh());
    expect([...entities.keys()].sort()).toEqual(["a", "b", "c", "d"]);
  });

  it("takes nothing for lost because changes are published while it looks", async () => {
    await publisher.rebuild([[entry("a", 1)]]);
    for (let rowVersion = 2; rowVersion < 100; rowVersion += 1) {
      const looked = publisher.needsRebuild();
      await publisher.publish([entry("a", rowVersion)]);
      expect(await looked).toBe(false);
    }
  });

  it("says so when the snapshot is lost during a rebuild", async () => {
    async function* pages() {
      yield [entry("a", 1)];
      await redis.del(...Object.values(snapshotKeys));
      yield [entry("b", 1)];
    }
    await expect(publisher.rebuild(pages())).rejects.toThrow(SnapshotLostError);
    expect(await publisher.needsRebuild()).toBe(true);
  });

  it("brings changes again that the copy could not take", async () => {
    let broken = false;
    await publishFirst([entry("a", 1)]);
    const copy = await follow("a", () => {
      if (broken) throw new Error("broken copy");
    });
    broken = true;
    await publisher.publish([entry("a", 2)]);
    await eventually(() => copy.errors.some((error) => error.message === "broken copy"));
    await eventually(() => !copy.follower.isFresh());
    await expect(copy.follower.catchUp()).rejects.toThrow("broken copy");
    broken = false;
    await copy.follower.catchUp();
    expect(copy.entities.get("a")).toBe('{"a":2}');
  });

  it("waits for every follower, and not for one that has stopped", async () => {
    await publishFirst([entry("a", 1)]);
    const first = await follow("one");
    const second = await follow("two");
    await awaitVersion(await publisher.publish([entry("a", 2)]), first, second);
    expect([first.entities.get("a"), second.entities.get("a")]).toEqual(['{"a":2}', '{"a":2}']);

    await second.follower.stop();
    expect(second.follower.isFresh()).toBe(false);
    expect(await redis.hlen(snapshotKeys.leases)).toBeLessThanOrEqual(2); // The first and the lease of before.
    await publisher.awaitPropagation(await publisher.publish([entry("a", 3)]), 60_000);
    expect(second.entities.get("a")).toBe('{"a":2}');
  });

  it("throws when a follower does not apply it in time", async () => {
    const version = await publisher.rebuild([[entry("a", 1)]]);
    await redis.hset(snapshotKeys.leases, "frozen", `0:${Date.now() + 60_000}:1`);
    await expect(publisher.awaitPropagation(version, 100)).rejects.toThrow(NotPropagatedError);
  });

  it("loads 100 000 entities in bounded pages without holding up the event loop", async () => {
    const json = JSON.stringify({ text: "x".repeat(200) });
    function* pages() {
      for (let start = 0; start < 100_000; start += 1_000) {
        yield Array.from({ length: 1_000 }, (_, i) => ({
          name: `campaign:${start + i}`,
          rowVersion: 1,
          json,
        }));
      }
    }
    await publisher.rebuild(pages());
    let takenInTurn = 0;
    let maxInTurn = 0;
    let counting = true;
    const endTurn = () => {
      maxInTurn = Math.max(maxInTurn, takenInTurn);
      takenInTurn = 0;
      if (counting) setImmediate(endTurn);
    };
    endTurn();
    const copy = new Copy(redis, "large", () => {
      takenInTurn += 1;
    });
    copies.push(copy);
    copy.follower.start();
    await copy.follower.waitUntilFresh(60_000);
    counting = false;
    expect(copy.entities.size).toBe(100_000);
    expect(maxInTurn).toBeGreaterThan(0);
    expect(maxInTurn).toBeLessThanOrEqual(200);
  });

  it("refuses entries that are not publishable", async () => {
    await expect(publisher.publish([{ name: "", rowVersion: 1, json: "{}" }])).rejects.toThrow(RangeError);
    await expect(publisher.publish([{ name: "a", rowVersion: 1.5, json: "{}" }])).rejects.toThrow(RangeError);
    await expect(publisher.publish([{ name: "a", rowVersion: 1, json: "" }])).rejects.toThrow(RangeError);
  });
});

function entry(name: string, rowVersion: number) {
  return { name, rowVersion, json: JSON.stringify({ [name]: rowVersion }) };
}

async function dumpAll(redis: RedisConnection): Promise<[string, Buffer][]> {
  const dump: [string, Buffer][] = [];
  for (const key of Object.values(snapshotKeys)) {
    const value = await redis.dumpBuffer(key);
    if (value !== null) dump.push([key, value]);
  }
  return dump;
}

/** One transaction, as a restart is one step: nobody sees the keys half restored. */
async function restoreAll(redis: RedisConnection, dump: [string, Buffer][]): Promise<void> {
  const transaction = redis.multi();
  transaction.del(...Object.values(snapshotKeys));
  for (const [key, value] of dump) transaction.restore(key, 0, value);
  await transaction.exec();
}
