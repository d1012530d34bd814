import { eventually } from "@diegetic/testing/eventually";
import { startTestRedisCluster, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { Queue } from "bullmq";
import { Cluster } from "ioredis";
import { connectRedis } from "./connection.ts";
import { openQueueWorker } from "./queue-worker.ts";

const QUEUE = { name: "waits", prefix: "{test}" };
/** The last wait, the limit of the next one, and time for a busy machine. */
const TAKEN_WITHIN_MS = 60_000;

let server: TestRedis;
beforeAll(async () => {
  server = await startTestRedisCluster();
});
afterAll(() => server.stop());

it("takes jobs although the connection on which it waits for them never returns", async () => {
  const { duplicate } = Cluster.prototype;
  const copies: Cluster[] = [];
  Cluster.prototype.duplicate = function duplicateAndNote(this: Cluster, ...options) {
    const copy = duplicate.apply(this, options);
    copies.push(copy);
    return copy;
  };
  const taken: unknown[] = [];
  const errors: string[] = [];
  const worker = openQueueWorker<number>(server.url, {
    name: "test",
    queue: QUEUE,
    handle: async ({ data }) => void taken.push(data),
    concurrency: 1,
    lockMs: 5_000,
    stalledCheckMs: 5_000,
    onError: ({ message }) => void errors.push(message),
    onLockLost: () => {},
    onSuccess: () => {},
    onFailed: () => {},
  });
  const connection = connectRedis(server.url, { name: "producer" });
  const queue = new Queue(QUEUE.name, { connection, prefix: QUEUE.prefix });
  try {
    worker.resume();
    await queue.add("job", 1);
    await eventually(() => taken.length === 1, { timeoutMs: TAKEN_WITHIN_MS });
    const [waiting] = copies;
    if (waiting === undefined) throw new Error("the worker has no connection of its own for waiting");
    // No event ever leaves this state: as when a cluster client without nodes is told to disconnect.
    setStatus(waiting, { get: () => "disconnecting", set: () => undefined });
    for (const number of [2, 3]) {
      // Once the last job is completed, the worker can only wait for the next one.
      await eventually(async () => (await queue.getActiveCount()) === 0, { timeoutMs: TAKEN_WITHIN_MS });
      await queue.add("job", number);
      await eventually(() => taken.length === number, { timeoutMs: TAKEN_WITHIN_MS });
    }
    expect(taken).toEqual([1, 2, 3]);
    expect(errors).toContain("waiting for a job timed out; asking on the other connection");
  } finally {
    Cluster.prototype.duplicate = duplicate;
    if (copies[0] !== undefined) setStatus(copies[0], { value: "ready", writable: true });
    await worker.close(0);
    await queue.close();
    connection.disconnect();
  }
}, 300_000);

function setStatus(cluster: Cluster, attributes: PropertyDescriptor): void {
  Object.defineProperty(cluster, "status", { ...attributes, configurable: true });
}
