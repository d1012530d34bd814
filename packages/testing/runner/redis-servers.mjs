import { isTracing, traceRedis } from "./trace-stores.mjs";

/**
 * Started in advance: the first change on a new Redis waits until earlier leases would have expired, about three
 * seconds. Tests that need more servers at once, or other options, start them themselves.
 */
const SPARE_SERVERS = 3;
/** A new cluster serves nothing for two seconds. */
const SPARE_CLUSTERS = 1;

/**
 * Redis servers and clusters for test files: empty and, if possible, already running for a while. The first request for
 * a server starts spare ones; for a cluster, the second, because a run of one file seldom takes two.
 */
export class RedisServers {
  #servers = new Spares(startServer, { count: SPARE_SERVERS, afterTaken: 0 });
  #clusters = new Spares(startCluster, { count: SPARE_CLUSTERS, afterTaken: 1 });
  #given = new Map();

  /** The address of an exclusive server. */
  async take() {
    const { url } = await this.#give(this.#servers);
    if (isTracing) traceRedis(url);
    return { url };
  }

  /** The address of an exclusive cluster of three masters. */
  async takeCluster() {
    const { url } = await this.#give(this.#clusters);
    return { url };
  }

  /** Idempotent. */
  async stop(url) {
    const server = this.#given.get(url);
    this.#given.delete(url);
    await server?.stop();
  }

  async stopAll() {
    const spare = await Promise.all([this.#servers.started(), this.#clusters.started()]);
    await Promise.all([...spare.flat(), ...this.#given.values()].map((server) => server.stop()));
  }

  async #give(spares) {
    const server = await spares.take();
    this.#given.set(server.url, server);
    return server;
  }
}

class Spares {
  #start;
  #count;
  #afterTaken;
  #taken = 0;
  #starting = [];

  /** Keeps `count` of them once more than `afterTaken` were taken. */
  constructor(start, { count, afterTaken }) {
    this.#start = start;
    this.#count = count;
    this.#afterTaken = afterTaken;
  }

  take() {
    const taken = this.#starting.shift() ?? this.#start();
    this.#taken += 1;
    while (this.#taken > this.#afterTaken && this.#starting.length < this.#count) {
      const spare = this.#start();
      // A failed start is reported to its taker.
      spare.catch(() => {});
      this.#starting.push(spare);
    }
    return taken;
  }

  /** Those that nobody has taken. */
  async started() {
    const outcomes = await Promise.allSettled(this.#starting.splice(0));
    return outcomes.filter(({ status }) => status === "fulfilled").map(({ value }) => value);
  }
}

async function startServer() {
  const { startRedis } = await import("@diegetic/local-stores");
  const { inTemporaryDirectory } = await import("../src/redis.ts");
  return inTemporaryDirectory((dir) => startRedis({ dir }));
}

async function startCluster() {
  const { startRedisCluster } = await import("../src/redis-cluster.ts");
  const { inTemporaryDirectory } = await import("../src/redis.ts");
  return inTemporaryDirectory((dir) => startRedisCluster({ dir }));
}
