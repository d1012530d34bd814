import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RedisOptions, startRedis } from "@diegetic/local-stores";
import { startRedisCluster } from "./redis-cluster.ts";
import { askStores } from "./stores.ts";

export interface TestRedis {
  /** `redis://…` or `redis-cluster://…` */
  url: string;
  stop(): Promise<void>;
}

/**
 * An exclusive Redis, empty and without persistence; stop it in `afterAll`. Without options it may have been started in
 * advance, so that nothing waits for a new server.
 */
export async function startTestRedis(options?: Partial<RedisOptions>): Promise<TestRedis> {
  if (options !== undefined) return inTemporaryDirectory((dir) => startRedis({ dir, ...options }));
  return takeFrom("redis");
}

/**
 * An exclusive Redis Cluster of masters; stop it in `afterAll`. It takes two to three seconds to start, unless one of three
 * masters has been started in advance.
 */
export function startTestRedisCluster(nodes = 3): Promise<TestRedis> {
  if (nodes !== 3) return inTemporaryDirectory((dir) => startRedisCluster({ dir, nodes }));
  return takeFrom("redis-clusters");
}

async function takeFrom(kind: "redis" | "redis-clusters"): Promise<TestRedis> {
  const { url } = (await askStores("POST", kind)) as { url: string };
  return {
    url,
    stop: async () => {
      await askStores("DELETE", kind, url);
    },
  };
}

/** Starts a server in a directory of its own, which is removed when it stops. */
export async function inTemporaryDirectory(start: (dir: string) => Promise<TestRedis>): Promise<TestRedis> {
  const dir = await mkdtemp(join(tmpdir(), "diegetic-test-redis-"));
  const server = await start(dir);
  return {
    url: server.url,
    async stop() {
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
