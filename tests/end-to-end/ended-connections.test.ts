import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RedisConnection } from "@diegetic/hot-state";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import {
  type RedisTopology,
  startProxiedCluster,
  startSingleRedis,
} from "../faults/topology/redis-topology.ts";

const USERS = fileURLToPath(new URL("./connection-users.ts", import.meta.url));
const PATIENCE = { timeoutMs: 60_000, everyMs: 50 };
const TIMEOUT_MS = 240_000;
const ROUNDS = 5;
/** So long that attempts to connect fail. */
const UNAVAILABLE_MS = 300;

describe.each([
  ["a single Redis", startSingleRedis],
  ["a Redis Cluster", startProxiedCluster],
])("a process with every kind of connection to %s", (_what, startRedis) => {
  const dir = mkdtempSync(join(tmpdir(), "diegetic-ended-"));
  let redis: RedisTopology;
  let administrators: RedisConnection[];
  let child: ChildProcess;
  let ended: Promise<unknown>;
  let printed: string;

  beforeAll(async () => {
    redis = await startRedis(dir);
    administrators = redis.nodes.map((_, index) => redis.connectNode(index, "administrator"));
  }, TIMEOUT_MS);
  afterAll(async () => {
    for (const administrator of administrators) administrator.disconnect();
    await redis.stop();
    rmSync(dir, { recursive: true });
  }, TIMEOUT_MS);

  beforeEach(async () => {
    printed = "";
    child = fork(USERS, [redis.proxiedUrl], {
      execArgv: [
        // A cluster client that reaches no node makes Node count its listeners (see tests/faults/checker/check-logs.ts).
        "--no-warnings",
        "--conditions=@diegetic/source",
      ],
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    ended = once(child, "exit");
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk) => {
        printed += chunk;
      });
    }
    await once(child, "message");
    await eventually(works, PATIENCE);
  }, TIMEOUT_MS);
  afterEach(async () => {
    child.kill("SIGKILL");
    await ended;
  });

  async function works(): Promise<boolean> {
    if (!child.connected) return false;
    const answer = new Promise((resolve) => child.once("message", resolve));
    child.send("work");
    return (await Promise.race([answer, ended])) === true;
  }

  /** Of every connection but the administrators'. Answers how many there were. */
  async function killConnections(): Promise<number> {
    const counts = await Promise.all(
      administrators.flatMap((one) =>
        ["normal", "pubsub"].map((type) => one.call("CLIENT", "KILL", "TYPE", type, "SKIPME", "yes")),
      ),
    );
    return counts.reduce<number>((sum, count) => sum + Number(count), 0);
  }

  async function makeUnavailable(): Promise<void> {
    for (const proxy of redis.proxies) proxy.set({ kind: "cut" });
    await new Promise((resolve) => setTimeout(resolve, UNAVAILABLE_MS));
    for (const proxy of redis.proxies) proxy.set({ kind: "pass" });
  }

  it.each([
    ["connections that the server ends", () => eventually(async () => (await killConnections()) > 0)],
    ["servers that cannot be reached", makeUnavailable],
  ])(
    "outlives %s, idle and at work, and prints nothing",
    async (_how, end) => {
      await end();
      await eventually(works, PATIENCE);
      for (let round = 0; round < ROUNDS; round += 1) {
        const atWork = works();
        await end();
        await atWork;
      }
      await eventually(works, PATIENCE);
      expect({ exitCode: child.exitCode, signal: child.signalCode, printed }).toEqual({
        exitCode: null,
        signal: null,
        printed: "",
      });
    },
    TIMEOUT_MS,
  );
});
