import { fork } from "node:child_process";
import { once } from "node:events";
import { createDatabase } from "@diegetic/database";
import { createLogger, type RunningService } from "@diegetic/service-kit";
import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { eventually } from "@diegetic/testing/eventually";
import { freePort } from "@diegetic/testing/free-port";
import { startTestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { startRewritingProxy } from "@diegetic/testing/rewriting-proxy";
import { startStallingProxy } from "@diegetic/testing/stalling-proxy";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { startManagement } from "./service.ts";
import { readManagementSettings } from "./settings.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

let redisPort: number;
let postgresPort: number;
let metricsPort: number;
let lines: { msg: string; notice?: string; err?: { message: string } }[];
beforeEach(async () => {
  [redisPort, postgresPort, metricsPort] = [await freePort(), await freePort(), await freePort()];
  lines = [];
});

function environment(changes: Record<string, string> = {}): Record<string, string> {
  return {
    DATABASE_URL: database.url,
    REDIS_URL: `redis://127.0.0.1:${redisPort}`,
    PLAYER_HASH_KEY: "k".repeat(32),
    AUTH_SECRET: "a".repeat(32),
    METRICS_PORT: String(metricsPort),
    ...changes,
  };
}

async function start(changes?: Record<string, string>): Promise<RunningService> {
  const write = (line: string) => void lines.push(JSON.parse(line));
  const logger = createLogger({ service: "management", instance: "test", level: "info" }, { write });
  const settings = readManagementSettings(environment(changes));
  const running = await startManagement(settings, logger, { listenAfterMs: 2_000 });
  closers.push(() => running.stop());
  return running;
}

async function startRedis(port: number): Promise<void> {
  const server = await startTestRedis({ port });
  closers.push(() => server.stop());
}

async function operations(path: string): Promise<{ status: number; checks: Record<string, string> }> {
  const response = await fetch(`http://127.0.0.1:${metricsPort}${path}`);
  const { checks = {} } = (await response.json()) as { checks?: Record<string, string> };
  return { status: response.status, checks };
}

const answers = (path: string) => operations(path).catch(() => undefined);

describe("management whose stores are unavailable at its start", () => {
  it("says what it waits for, and starts once they have recovered", async () => {
    const url = new URL(database.url);
    const upstreamPort = Number(url.port);
    url.port = String(postgresPort);
    const starting = start({ DATABASE_URL: url.href });
    await eventually(async () => (await answers("/healthz"))?.status === 200);
    const waiting = await operations("/readyz");
    expect(waiting.status).toBe(503);
    for (const check of ["postgres", "redis", "installation", "snapshot", "start", "api"])
      expect(waiting.checks[check]).not.toBe("ok");

    const { ports } = await starting;
    const api = `http://127.0.0.1:${ports.port}`;
    const authorization = { Authorization: `Bearer igk_${"x".repeat(43)}` };
    expect((await fetch(`${api}/api/campaigns`, { headers: authorization })).status).toBe(503);

    const proxy = await startStallingProxy(upstreamPort, postgresPort);
    closers.push(() => proxy.stop());
    await eventually(() => lines.some(({ notice }) => notice === "unavailable"));
    await startRedis(redisPort);
    await eventually(async () => (await operations("/readyz")).status === 200);
    expect((await fetch(`${api}/api/campaigns`, { headers: authorization })).status).toBe(401);
    expect(lines.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining(["repair round failed", "redis unavailable", "snapshot published"]),
    );
  });

  it("stops while it waits", async () => {
    const running = await start();
    closers.pop();
    await running.stop();
    expect(await answers("/healthz")).toBeUndefined();
    await startRedis(redisPort);
    expect(lines.map(({ msg }) => msg)).not.toContain("snapshot published");
  });

  it("ends when it then finds the Redis of another installation, and has not used it", async () => {
    const child = fork(new URL("./main.ts", import.meta.url), {
      env: { PATH: process.env.PATH, ...environment() },
      execArgv: ["--conditions=@diegetic/source"],
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
    closers.push(() => child.kill("SIGKILL"));
    let output = "";
    child.stdout?.on("data", (chunk) => (output += chunk));
    const exit = once(child, "close");
    await once(child, "message");
    const otherPort = await freePort();
    await startRedis(otherPort);
    const redis = connectTestRedis(`redis://127.0.0.1:${otherPort}`);
    closers.push(() => redis.disconnect());
    await redis.set("{snapshot}:installation", "inst_other");
    const proxy = await startStallingProxy(otherPort, redisPort);
    closers.push(() => proxy.stop());
    expect(await exit).toEqual([1, null]);
    const messages: { msg: string }[] = output
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const last = messages.filter(({ msg }) =>
      ["start failed", "crashed", "stopping", "stopped"].includes(msg),
    );
    expect(last).toMatchObject([
      {
        level: 60,
        err: { message: expect.stringMatching(/^The Redis at REDIS_URL belongs to another installation/) },
        msg: "start failed",
      },
      { msg: "stopping" },
      { msg: "stopped" },
    ]);
    expect(output).not.toContain('"stack"');
    expect(await redis.keys("*")).toEqual(["{snapshot}:installation"]);
  });
});

it("management does not start with a database that only an operator can mend", async () => {
  const url = new URL(database.url);
  url.pathname = "/nothing_of_this_name";
  await startRedis(redisPort);
  await expect(start({ DATABASE_URL: url.href })).rejects.toThrow("Postgres has no database of the name");
  expect(await answers("/healthz")).toBeUndefined();
});

it("management does not start with a Redis that is too old", async () => {
  await startRedis(redisPort);
  const old = await startRewritingProxy(redisPort, { from: /redis_version:\d\.\d/, to: "redis_version:6.2" });
  closers.push(() => old.stop());
  const starting = start({ REDIS_URL: `redis://127.0.0.1:${old.port}` });
  await expect(starting.then(({ failed }) => failed)).rejects.toThrow("upgrade it to 7.0 or later");
  expect(await answers("/healthz")).toBeUndefined();
});

it("management shows a Postgres that only allows reads, such as a former primary, as down, and reads on", async () => {
  await startRedis(redisPort);
  await start();
  const administrator = createDatabase(database.url, { poolSize: 1 });
  closers.push(() => administrator.$disconnect());
  const name = new URL(database.url).pathname.slice(1);
  const become = async (isReadOnly: boolean) => {
    const value = isReadOnly ? "on" : "off";
    await administrator.$executeRawUnsafe(
      `ALTER DATABASE "${name}" SET default_transaction_read_only TO ${value}`,
    );
    await administrator.$queryRaw`
      SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  };
  const isUp = async () => {
    const response = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
    return /^dependency_up\{part="postgres"[^}]*\} 1$/m.test(await response.text());
  };
  await eventually(isUp);
  await become(true);
  try {
    await eventually(async () => !(await isUp()));
    await eventually(async () => (await operations("/readyz")).checks.postgres === "ok");
    expect(await isUp()).toBe(false);
  } finally {
    await become(false);
  }
  await eventually(isUp);
});
