import type { Redis } from "ioredis";
import type { RedisConnection } from "./connection.ts";
import { mastersOf } from "./masters.ts";

export interface ServerMemory {
  /** `host:port` as this process reaches it. */
  node: string;
  usedBytes: number;
  /** 0: no limit. */
  maxBytes: number;
  /** Its settings by name, as it writes them; undefined: not readable, as with CONFIG on a managed Redis. */
  settings: {
    /** With another policy than `noeviction` it drops money and caps when its memory is full. */
    "maxmemory-policy": string | undefined;
    /** Without an append-only file it comes back from a restart without the impressions that billing had not written. */
    appendonly: string | undefined;
    /** With another value than `always` it may lose the last of them when its machine crashes. */
    appendfsync: string | undefined;
  };
  /** A replica refuses writes: nothing is served while the address leads to one. */
  isReplica: boolean;
}

const APPEND_ONLY: Record<string, string> = { 0: "no", 1: "yes" };

/** Memory of each server, all but the replicas of a cluster, and which settings decide what it may lose. */
export async function serverMemory(redis: RedisConnection): Promise<ServerMemory[]> {
  return Promise.all(
    mastersOf(redis).map(async (master) => {
      const [report, appendfsync] = await Promise.all([
        master.info("memory", "persistence", "replication"),
        readAppendFsync(master),
      ]);
      const { host, port } = master.options;
      return {
        node: `${host}:${port}`,
        usedBytes: Number(/^used_memory:(\d+)/m.exec(report)?.[1]),
        maxBytes: Number(/^maxmemory:(\d+)/m.exec(report)?.[1]),
        settings: {
          "maxmemory-policy": /^maxmemory_policy:(\S+)/m.exec(report)?.[1],
          appendonly: APPEND_ONLY[/^aof_enabled:([01])/m.exec(report)?.[1] ?? ""],
          appendfsync,
        },
        isReplica: /^role:slave/m.test(report),
      };
    }),
  );
}

/** INFO does not include it. A managed Redis may have no CONFIG, or withhold it. */
async function readAppendFsync(master: Redis): Promise<string | undefined> {
  try {
    const [, value] = (await master.config("GET", "appendfsync")) as string[];
    return value;
  } catch (error) {
    const isWithheld = error instanceof Error && /^(NOPERM|ERR unknown)/.test(error.message);
    if (isWithheld) return undefined;
    throw error;
  }
}
