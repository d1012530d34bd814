import { Redis } from "ioredis";
import { readClusterAddress } from "./connection.ts";
import { outdatedRedis } from "./outdated-redis.ts";
import { describeRedisUnavailable, NO_REDIS } from "./redis-unavailable.ts";

const CONNECT_TIMEOUT_MS = 2_500;
const ANSWER_TIMEOUT_MS = 2_500;
const CUT = /\((the connection is gone|EPIPE|ECONNRESET)\)/;
const LACKING_RIGHTS =
  "The user of REDIS_URL has too few rights: give it all keys, channels and commands (ACL SETUSER … ~* &* +@all).";

/**
 * Why the Redis at an address cannot be used, as one sentence for the operator; undefined: it can. One attempt, at most
 * five seconds. Of a cluster, one usable node is enough.
 */
export async function unusableRedis(url: string): Promise<string | undefined> {
  const cluster = readClusterAddress(url);
  const connections = cluster?.nodes.map((node) => new Redis({ ...node, ...cluster.access, ...ONCE })) ?? [
    new Redis(url, ONCE),
  ];
  const outcomes = await Promise.all(connections.map((redis) => unusable(redis, cluster !== undefined)));
  return outcomes.includes(undefined) ? undefined : outcomes[0];
}

const ONCE = {
  connectionName: "check",
  lazyConnect: true,
  enableReadyCheck: false,
  connectTimeout: CONNECT_TIMEOUT_MS,
  commandTimeout: ANSWER_TIMEOUT_MS,
  maxRetriesPerRequest: 0,
  retryStrategy: () => null,
};

async function unusable(redis: Redis, isCluster: boolean): Promise<string | undefined> {
  let isConnected = false;
  let firstError: unknown;
  redis.on("connect", () => {
    isConnected = true;
  });
  redis.on("error", (error) => {
    firstError ??= error;
  });
  try {
    await redis.connect();
    const wrong = unusableServer(await redis.info("server"), isCluster);
    // A user's rights for channels are apart from those for commands and keys.
    await redis.publish("check", "");
    return wrong;
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("NOPERM")) return LACKING_RIGHTS;
    const why = describeRedisUnavailable(firstError) ?? describeRedisUnavailable(error) ?? NO_REDIS;
    // A server that accepts a connection and closes it at the first command is not Redis.
    return isConnected && CUT.test(why) ? NO_REDIS : why;
  } finally {
    redis.disconnect();
  }
}

function unusableServer(info: string, isCluster: boolean): string | undefined {
  const mode = /^redis_mode:(\w+)/m.exec(info)?.[1];
  if (mode === undefined) return NO_REDIS;
  if (isCluster && mode !== "cluster") {
    return "REDIS_URL names a cluster, and what answers there is none: write redis://host:port.";
  }
  if (!isCluster && mode === "cluster") {
    return "REDIS_URL names one server, and what answers there is a node of a cluster: write redis-cluster://host:port,host:port.";
  }
  return outdatedRedis(info);
}
