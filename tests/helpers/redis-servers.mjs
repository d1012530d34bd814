import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isTracing, traceRedis } from "./trace-stores.mjs";

/**
 * Started ahead: the first change on a Redis that has just come back waits until leases from before would have run out, some
 * three seconds. Those who need more at once, or one of their own making, start it themselves.
 */
const SPARE_SERVERS = 3;

/** Redis servers for test files, empty and up for a while where that is possible. The first request starts the first ones. */
export class RedisServers {
  #spare = [];
  #given = new Map();

  /** The address of a server that nobody else has. */
  async take() {
    const taken = this.#spare.shift() ?? startServer();
    while (this.#spare.length < SPARE_SERVERS) this.#spare.push(startServer());
    // Whether a spare one could be started is told to whoever gets it.
    for (const spare of this.#spare) spare.catch(() => {});
    const server = await taken;
    this.#given.set(server.url, server);
    if (isTracing) traceRedis(server.url);
    return { url: server.url };
  }

  /** Harmless when it was stopped before. */
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
