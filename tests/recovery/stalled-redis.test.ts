import { createTestDatabase } from "@diegetic/testing/database";
import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis } from "@diegetic/testing/redis";
import { type StallingProxy, startStallingProxy } from "@diegetic/testing/stalling-proxy";
import { afterEach, expect, it } from "@jest/globals";
import { createInstance } from "../../services/management/src/testing/harness.ts";

const INFO = 30;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Line {
  level: number;
  msg: string;
  notice?: string;
  part?: string;
  failures?: number;
  outageSeconds?: number;
}

/** Management on a Redis that can be stalled, and what it has logged since it started. */
async function startManagement() {
  const [postgres, first] = await Promise.all([createTestDatabase(), startTestRedis({})]);
  const port = Number(new URL(first.url).port);
  const proxy = await startStallingProxy(port);
  closers.push(
    () => postgres.drop(),
    () => first.stop(),
    () => proxy.stop(),
  );
  const lines: Line[] = [];
  const management = createInstance(
    { databaseUrl: postgres.url, redisUrl: `redis://127.0.0.1:${proxy.port}` },
    undefined,
    undefined,
    { logTo: { write: (line) => void lines.push(JSON.parse(line)) }, redisTimeoutMs: undefined },
  );
  closers.push(() => management.stop());
  await management.start();
  lines.splice(0);
  const notices = () => lines.flatMap(({ notice }) => notice ?? []);
  return { proxy, lines, notices, redis: first, port };
}

async function stallUntilLogged(proxy: StallingProxy, notices: () => string[]): Promise<void> {
  proxy.stall();
  await eventually(() => notices().includes("unavailable"));
  proxy.resume();
}

it("logs a stalled Redis as unavailable, then as recovered with the same data, not as restarted", async () => {
  const { proxy, lines, notices } = await startManagement();
  await stallUntilLogged(proxy, notices);
  await eventually(() => notices().length > 1);
  expect(notices()).toEqual(["unavailable", "recovered"]);
  expect(lines.find(({ notice }) => notice === "recovered")).toMatchObject({
    level: INFO,
    failures: expect.any(Number),
    outageSeconds: expect.any(Number),
  });
  const parts = () => lines.flatMap(({ part, level }) => (part === undefined ? [] : `${part} ${level}`));
  const warned = () => parts().filter((line) => !line.endsWith(String(INFO)));
  await eventually(() => parts().length === 2 * warned().length);
  expect(new Set(parts()).size).toBe(parts().length);
});

it("logs a restarted Redis as restarted, then as recovered", async () => {
  const { notices, redis, port } = await startManagement();
  await redis.stop();
  await eventually(() => notices().includes("unavailable"));
  const again = await startTestRedis({ port });
  closers.push(() => again.stop());
  await eventually(() => notices().length > 2);
  expect(notices()).toEqual(["unavailable", "restarted", "recovered"]);
});
