import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isTracing, traceRedis } from "./trace-stores.mjs";

/**
 * Started in advance: the first change on a new Redis waits until earlier leases would have expired, about three
 * seconds. Tests that need more servers at once, or other options, start them themselves.
 */
const SPARE_SERVERS = 3;

/**
 * Redis servers for test files: empty and, if possible, already running for a while. The first request starts the first
 * ones.
 */
export class RedisServers {
  #spare = [];
  #given = new Map();

  /** The address of an exclusive server. */
  async take() {
    const taken = this.#spare.shift() ?? startServer();
    while (this.#spare.length < SPARE_SERVERS) this.#spare.push(startServer());
    // A failed start of a spare server is reported to its taker.
    for (const spare of this.#spare) spare.catch(() => {});
    const server = await taken;
    this.#given.set(server.url, server);
    if (isTracing) traceRedis(server.url);
    return { url: server.url };
  }

  /** Idempotent. */
  async stop(url) {
    const server = this.#given.get(url);
    this.#given.delete(url);
    await server?.stop();
  }

  async stopAll() {
    const spare = (await Promise.allSettled(this.#spare)).map(({ value }) => value);
    await Promise.all([...spare, ...this.#given.values()].map((server) => server?.stop()));
  }
}

async function startServer() {
  const { startRedis } = await import("@diegetic/local-stores");
  const dir = await mkdtemp(join(tmpdir(), "diegetic-test-redis-"));
  const server = await startRedis({ dir });
  return {
    url: server.url,
    async stop() {
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
