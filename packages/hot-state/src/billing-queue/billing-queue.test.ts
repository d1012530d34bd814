import { type ChildProcess, fork } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { fileURLToPath } from "node:url";
import type { BillingJob, ImpressionRecord } from "@diegetic/contracts";
import { openBillingWorker, startBillingWorker } from "@diegetic/testing/billing-worker";
import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis, startTestRedisCluster, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { startStallingProxy } from "@diegetic/testing/stalling-proxy";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import type { RedisConnection } from "../connection.ts";
import { ForeignRedis } from "../installation/foreign-redis.ts";
import { InstallationClaim } from "../installation/installation-claim.ts";
import { installationKeys } from "../keys.ts";
import { type BillingProducer, createBillingProducer } from "./producer.ts";

const HANGING_WORKER = fileURLToPath(new URL("./testing/hanging-worker.ts", import.meta.url));

const HOUR_MS = 3_600_000;

const servers: [string, () => Promise<TestRedis>][] = [
  ["Redis", () => startTestRedis()],
  ["Redis Cluster", () => startTestRedisCluster()],
];

describe.each(servers)("billing queue on %s", (_kind, startServer) => {
  let server: TestRedis;
  let redis: RedisConnection;
  let producer: BillingProducer;
  let workers: ReturnType<typeof startBillingWorker>[] = [];
  let numbers = 0;

  beforeAll(async () => {
    server = await startServer();
    redis = connectTestRedis(server.url);
    producer = createBillingProducer(server.url);
  });

  afterEach(async () => {
    // A worker that closes does not wait for long until the end of a job is recorded.
    await eventually(async () => (await producer.depth()) === 0);
    await Promise.all(workers.map((worker) => worker.close()));
    workers = [];
  });

  afterAll(async () => {
    await producer.close();
    redis.disconnect();
    await server.stop();
  });

  function startWorker(
    handle: (job: BillingJob) => Promise<void>,
    options: Parameters<typeof startBillingWorker>[2] = {},
  ) {
    const worker = startBillingWorker(server.url, handle, options);
    workers.push(worker);
    return worker;
  }

  function newRecord(): ImpressionRecord {
    numbers += 1;
    return record(`imp_${numbers}`);
  }

  it("delivers a job as it was sent, and leaves nothing behind", async () => {
    const jobs: BillingJob[] = [];
    startWorker(async (job) => {
      jobs.push(job);
    });
    const records = [newRecord(), newRecord()];
    await producer.add(records);
    await producer.add([]);
    await eventually(() => jobs.length > 0);
    expect(jobs).toEqual([{ schema: 1, records }]);
    await eventually(async () => (await producer.depth()) === 0);
    const keys = await allKeys(redis);
    expect(keys.every((key) => key.startsWith("{billing}:impressions:"))).toBe(true);
    expect(keys.filter((key) => key.includes(":b"))).toEqual([]);
  });

  it("carries at most 16 traceparents with a job", async () => {
    const jobs: BillingJob[] = [];
    startWorker(async (job) => void jobs.push(job));
    const traceparents = Array.from({ length: 17 }, (_, number) => `traceparent-${number}`);
    await producer.add([newRecord()], traceparents);
    await eventually(() => jobs.length > 0);
    expect(jobs[0]?.traceparents).toEqual(traceparents.slice(0, 16));
  });

  it("takes nothing before it is resumed, and no more than one job while it is paused", async () => {
    const jobs: BillingJob[] = [];
    const worker = openBillingWorker(server.url, async (job) => void jobs.push(job));
    workers.push(worker);
    // What is sent meanwhile goes to another one, which ends when it has taken it.
    const otherTakesOne = async () => {
      await producer.add([newRecord()]);
      const other = startWorker(async () => undefined);
      await eventually(async () => (await producer.depth()) === 0);
      await other.close();
    };
    await otherTakesOne();
    expect(jobs).toEqual([]);
    worker.resume();
    worker.resume();
    await producer.add([newRecord()]);
    await eventually(() => jobs.length === 1);
    worker.pause();
    worker.pause();
    for (let n = 0; n < 3; n++) await otherTakesOne();
    const taken = jobs.length;
    expect(taken).toBeLessThanOrEqual(2);
    worker.resume();
    await producer.add([newRecord()]);
    await eventually(() => jobs.length > taken);
  });

  it("reports a lost lock of a running job, and no failure of Redis", async () => {
    const lost: string[] = [];
    const errors: Error[] = [];
    const handle = async () => {
      // It is delivered again.
      if (lost.length > 0) return;
      for (const key of await allKeys(redis)) if (key.endsWith(":lock")) await redis.del(key);
      await eventually(() => lost.length > 0);
    };
    startWorker(handle, {
      lockMs: 1_000,
      onLockLost: ({ message }) => lost.push(message),
      onError: (error) => errors.push(error),
    });
    await producer.add([newRecord()]);
    await eventually(() => lost.some((message) => message.startsWith("Missing lock")));
    expect(lost[0]).toContain("could not renew lock");
    expect(errors).toEqual([]);
  });

  it("tries a failing job again", async () => {
    let attempts = 0;
    const failures: boolean[] = [];
    startWorker(
      async () => {
        attempts += 1;
        if (attempts < 3) throw new Error("Postgres is unavailable");
      },
      { onFailed: (_error, _job, final) => failures.push(final) },
    );
    await producer.add([newRecord()]);
    await eventually(() => attempts === 3);
    expect(failures).toEqual([false, false]);
  });

  it("tries a job again that failed while the clock of its worker was wrong", async () => {
    const { now } = Date;
    const mend = () => void Object.assign(Date, { now });
    let attempts = 0;
    startWorker(
      async () => {
        attempts += 1;
        if (attempts > 1) return;
        Date.now = () => now() + HOUR_MS;
        throw new Error("Postgres is unavailable");
      },
      { onFailed: mend },
    );
    try {
      await producer.add([newRecord()]);
      await eventually(() => attempts === 2);
    } finally {
      mend();
    }
  });

  it("gives up after five attempts, and the same records can be queued again", async () => {
    let attempts = 0;
    const failures: boolean[] = [];
    startWorker(
      async () => {
        attempts += 1;
        if (attempts <= 5) throw new Error("Postgres is unavailable");
      },
      { onFailed: (_error, _job, final) => failures.push(final) },
    );
    const records = [newRecord()];
    await producer.add(records);
    await eventually(() => failures.length === 5);
    expect(failures).toEqual([false, false, false, false, true]);
    await producer.add(records);
    await eventually(() => attempts === 6);
  });

  it("takes the same set of records once while it is queued, in any order", async () => {
    const [a, b] = [newRecord(), newRecord()];
    await producer.add([a, b]);
    await producer.add([b, a]);
    await producer.add([a]);
    expect(await producer.depth()).toBe(2);
    const sizes: number[] = [];
    startWorker(async (job) => {
      sizes.push(job.records.length);
    });
    await eventually(() => sizes.length === 2);
    expect(sizes.sort()).toEqual([1, 2]);
  });

  it("takes an impression that was charged again in another epoch, too", async () => {
    const record = newRecord();
    await producer.add([{ ...record, recovery_epoch: 1 }]);
    await producer.add([{ ...record, recovery_epoch: 2 }]);
    expect(await producer.depth()).toBe(2);
    const epochs: unknown[] = [];
    startWorker(async ({ records }) => void epochs.push(records[0]?.recovery_epoch));
    await eventually(() => epochs.length === 2);
    expect(epochs.sort()).toEqual([1, 2]);
  });

  it("refuses more than 500 records", async () => {
    await expect(producer.add(Array.from({ length: 501 }, newRecord))).rejects.toThrow(RangeError);
  });

  it.each([
    ["gives the job of a killed worker to another one", (child: ChildProcess) => child.kill("SIGKILL")],
    [
      "lets the process of a closed worker end though its job never does, and gives the job to another one",
      (child: ChildProcess) => child.send("close"),
    ],
  ])("%s", async (_title, end) => {
    const child: ChildProcess = fork(HANGING_WORKER, [server.url], {
      execArgv: ["--conditions=@diegetic/source"],
    });
    const taken = once(child, "message");
    await producer.add([newRecord()]);
    expect(await taken).toEqual([1, undefined]);
    const exited = once(child, "exit");
    end(child);
    await exited;
    const jobs: BillingJob[] = [];
    startWorker(
      async (job) => {
        jobs.push(job);
      },
      { lockMs: 500, stalledCheckMs: 100 },
    );
    await eventually(() => jobs.length === 1);
    expect(jobs[0]?.records).toHaveLength(1);
  });

  it("drains on close: the running job ends, no other begins", async () => {
    const events: string[] = [];
    let finish: () => void = () => undefined;
    const worker = startWorker(
      async () => {
        events.push("begin");
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        events.push("end");
      },
      { concurrency: 1 },
    );
    await producer.add([newRecord()]);
    await producer.add([newRecord()]);
    await eventually(() => events.length === 1);
    const closed = worker.close().then(() => events.push("closed"));
    finish();
    await closed;
    expect(events).toEqual(["begin", "end", "closed"]);
    expect(await producer.depth()).toBe(1);
    startWorker(async () => undefined);
  });
});

describe("billing queue when its address leads to another installation's Redis", () => {
  async function start() {
    const [own, foreign] = await Promise.all([startTestRedis(), startTestRedis()]);
    let target = own;
    const proxy = await startStallingProxy(() => Number(new URL(target.url).port));
    const leadTo = (server: typeof own) => {
      target = server;
      proxy.breakConnections();
    };
    const url = `redis://127.0.0.1:${proxy.port}`;
    const redis = connectTestRedis(url);
    const claim = new InstallationClaim(redis, async () => "inst_1");
    await claim.check();
    const foreignRedis = connectTestRedis(foreign.url);
    await foreignRedis.set(installationKeys.owner, "inst_other");
    const stop = async () => {
      redis.disconnect();
      foreignRedis.disconnect();
      await Promise.all([proxy.stop(), own.stop(), foreign.stop()]);
    };
    return { own, foreign, redis, foreignRedis, leadTo, url, claim, stop };
  }

  it("lets its process do other work while the worker's commands are refused", async () => {
    const { own, foreign, redis, foreignRedis, leadTo, url, claim, stop } = await start();
    const [gate, jobs] = [new EventEmitter(), [] as BillingJob[]];
    const handle = async (job: BillingJob) => {
      jobs.push(job);
      if (jobs.length === 1) await once(gate, "open");
    };
    const worker = startBillingWorker(url, handle, { claim, concurrency: 1 });
    const producer = createBillingProducer(own.url);
    // Both of its connections are set up: one that is not would send another command after the refusal.
    await eventually(async () => String(await redis.client("LIST")).includes(" cmd=bzpopmin "));
    await producer.add([record("imp_a")]);
    await producer.add([record("imp_b")]);
    await eventually(() => jobs.length === 1);
    leadTo(foreign);
    // The claim's connection and both of the worker.
    await eventually(async () => String(await foreignRedis.client("LIST")).match(/ cmd=get /g)?.length === 3);
    gate.emit("open");
    await foreignRedis.ping();
    leadTo(own);
    await eventually(() => jobs.length > 1);
    await Promise.all([worker.close(), producer.close()]);
    await stop();
  });

  it("neither takes nor adds a job there, and works again once it leads to its own", async () => {
    const { own, foreign, foreignRedis, leadTo, url, claim, stop } = await start();
    const foreignProducer = createBillingProducer(foreign.url);
    await foreignProducer.add([record("imp_foreign")]);

    const jobs: BillingJob[] = [];
    const worker = startBillingWorker(url, async (job) => void jobs.push(job), { claim });
    const producer = createBillingProducer(url, { claim });
    await producer.add([record("imp_a")]);
    await eventually(() => jobs.length === 1);

    leadTo(foreign);
    const connections = async () =>
      String(await foreignRedis.client("LIST"))
        .trim()
        .split("\n").length;
    // Two of its own, the claim's, the producer's and two of the worker.
    await eventually(async () => (await connections()) === 6);
    const add = (id: string) => producer.add([record(id)]).catch((error: unknown) => error);
    await eventually(async () => (await add("imp_b")) instanceof ForeignRedis);
    await expect(foreignProducer.depth()).resolves.toBe(1);

    leadTo(own);
    await eventually(async () => (await add("imp_c")) === undefined);
    await eventually(() => jobs.length > 1);
    expect(jobs.flatMap(({ records }) => records.map((one) => one.impression_id))).not.toContain(
      "imp_foreign",
    );
    await expect(foreignProducer.depth()).resolves.toBe(1);
    await worker.close();
    await Promise.all([producer.close(), foreignProducer.close()]);
    await stop();
  });
});

describe("billing queue while Redis is unavailable", () => {
  it("starts, fails fast on sending, and works once Redis is there", async () => {
    const first = await startTestRedis();
    const port = Number(new URL(first.url).port);
    await first.stop();
    const errors: Error[] = [];
    const onError = (error: Error) => errors.push(error);
    const producer = createBillingProducer(first.url, { onError });
    const jobs: BillingJob[] = [];
    const worker = startBillingWorker(
      first.url,
      async (job) => {
        jobs.push(job);
      },
      { onError },
    );
    await expect(producer.add([record("imp_a")])).rejects.toThrow();

    const server = await startTestRedis({ port });
    await eventually(() => producer.add([record("imp_b")]).then(() => true));
    await eventually(() => jobs.length === 1);
    expect(errors.length).toBeGreaterThan(0);

    await server.stop();
    const again = await startTestRedis({ port });
    await eventually(() => producer.add([record("imp_c")]).then(() => true));
    await eventually(() => jobs.length === 2);
    await worker.close();
    await producer.close();
    await again.stop();
  });

  it("closes within its limit when Redis is gone or silent", async () => {
    const server = await startTestRedis();
    const proxy = await startStallingProxy(Number(new URL(server.url).port));
    const url = `redis://127.0.0.1:${proxy.port}`;
    const producer = createBillingProducer(url, { onError: () => undefined });
    let began = false;
    const open = () =>
      startBillingWorker(
        url,
        async () => {
          began = true;
        },
        { onError: () => undefined },
      );
    const silenced = open();
    const cutOff = open();
    const idle = open();
    await producer.add([record("imp_d")]);
    await eventually(() => began);

    proxy.stall();
    const startedAt = performance.now();
    await silenced.close(300);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await proxy.stop();
    await server.stop();
    await cutOff.close(300);
    // No job is running: there is nothing to wait for.
    await idle.close(120_000);
    await producer.close();
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });
});

function record(impressionId: string): ImpressionRecord {
  return {
    impression_id: impressionId,
    creative_id: "crt_1",
    recorded_at_ms: 1_800_000_000_000,
    match: {
      match_id: `mat_${impressionId}`,
      advertiser_id: "adv_1",
      campaign_id: "camp_1",
      campaign_version: 1,
      game_id: "game",
      developer_account_id: "acct_1",
      user_hash: "user",
      session_key: "session",
      country_code: null,
      affinity_score: 1.5,
      affinities: [],
      price_millicents: 500,
      revenue_share_basis_points: 7000,
      matched_at_ms: 1_800_000_000_000,
    },
  };
}

async function allKeys(redis: RedisConnection): Promise<string[]> {
  if ("nodes" in redis)
    return (await Promise.all(redis.nodes("master").map((node) => node.keys("*")))).flat();
  return redis.keys("*");
}
