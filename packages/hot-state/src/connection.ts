import type { Socket } from "node:net";
import { Cluster, Redis } from "ioredis";

/** A connection to a single Redis or to a Redis Cluster; only this package looks inside. */
export type RedisConnection = Redis | Cluster;

export interface ConnectionOptions {
  /** Shown by CLIENT LIST, so that an operator can tell the connections apart. */
  name: string;
  /** How long a command may wait for its reply before it fails. Milliseconds. */
  commandTimeoutMs?: number;
  /** Commands wait for as long as the connection is unavailable, as the worker of a queue needs it. Default: false. */
  patient?: boolean;
}

const COMMAND_TIMEOUT_MS = 2_000;
/** A connection that has owed an answer for so much longer is replaced: its server may have gone without a word. */
const SILENT_FOR_MS = 1_000;
/** Longer than the worker of a queue waits for a job in one command. */
const PATIENT_SILENT_FOR_MS = 12_000;
export const CLUSTER_SCHEME = "redis-cluster://";

/**
 * Connects to `redis://host:port/db`, `rediss://…` or a cluster as `redis-cluster://h1:p1,h2:p2,…`.
 * Commands fail at once while the connection is down (nothing queues without a limit): callers fail closed.
 * Autopipelining stays off: it slows handlers that make one call and breaks while a cluster is resharded.
 */
export function connectRedis(url: string, options: ConnectionOptions): RedisConnection {
  const commandTimeout = options.commandTimeoutMs ?? COMMAND_TIMEOUT_MS;
  const redisOptions = {
    connectionName: options.name,
    ...(options.patient ? {} : { commandTimeout }),
    socketTimeout: options.patient ? PATIENT_SILENT_FOR_MS : commandTimeout + SILENT_FOR_MS,
    connectTimeout: 5_000,
    maxRetriesPerRequest: options.patient ? null : 1,
    enableAutoPipelining: false,
    retryStrategy: reconnectDelayMs,
  };
  if (url.startsWith(CLUSTER_SCHEME)) {
    const cluster = new Cluster(clusterNodes(url), {
      redisOptions,
      slotsRefreshTimeout: 2_000,
      scaleReads: "master",
      clusterRetryStrategy: reconnectDelayMs,
    });
    cluster.on("+node", writeTogether);
    return surviveErrors(cluster);
  }
  return surviveErrors(writeTogether(new Redis(url, redisOptions)));
}

/** An error event without a listener would end the process, or be printed past the log; each command that fails says why. */
function surviveErrors<Connection extends RedisConnection>(redis: Connection): Connection {
  redis.on("error", () => undefined);
  return redis;
}

/** The nodes that the address of a cluster names. */
export function clusterNodes(url: string): { host: string; port: number }[] {
  return url
    .slice(CLUSTER_SCHEME.length)
    .split(",")
    .map((address) => {
      const separator = address.lastIndexOf(":");
      return { host: address.slice(0, separator), port: Number(address.slice(separator + 1)) };
    });
}

/**
 * Commands of one turn of the event loop go out in one write. A write is a system call, and costs about as much as the
 * rest of a command; it is what autopipelining spares too, but without promises of its own. Texts are put together before
 * the stream sees them: it would keep a record of each, and give the system a list of pieces.
 */
function writeTogether(redis: Redis): Redis {
  return redis.on("connect", () => {
    const { stream } = redis as unknown as { stream: Socket };
    const write = stream.write;
    let gathered = "";
    const writeGathered = () => {
      const text = gathered;
      gathered = "";
      if (text !== "" && stream.writable) Reflect.apply(write, stream, [text]);
    };
    stream.write = (...parts: unknown[]) => {
      const [text] = parts;
      if (parts.length === 1 && typeof text === "string") {
        if (gathered === "") setImmediate(writeGathered);
        gathered += text;
        return true;
      }
      writeGathered();
      return Reflect.apply(write, stream, parts) as boolean;
    };
    const end = stream.end;
    stream.end = (...parts: unknown[]) => {
      writeGathered();
      return Reflect.apply(end, stream, parts) as Socket;
    };
  });
}

/**
 * A cluster client sends ASKING ahead of a command that a moving hash slot redirects, and keeps nothing of its answer. When it fails,
 * the command does, too; but a rejection that nobody takes would end the process.
 */
const { asking } = Redis.prototype;
Redis.prototype.asking = function taken(this: Redis, ...parts: Parameters<typeof asking>) {
  const answer = asking.apply(this, parts);
  answer.catch(() => undefined);
  return answer;
};

/** Another connection with the same settings, for what needs one of its own. */
export function duplicateConnection(redis: RedisConnection): RedisConnection {
  return surviveErrors(redis instanceof Cluster ? redis.duplicate() : redis.duplicate());
}

const FIRST_RECONNECT_MS = 50;
const MAX_RECONNECT_MS = 1_000;

/** Doubles up to a second, with jitter: services come back soon after Redis, and not all at the same moment. */
function reconnectDelayMs(attempt: number): number {
  const delayMs = Math.min(MAX_RECONNECT_MS, FIRST_RECONNECT_MS * 2 ** Math.min(attempt - 1, 10));
  return Math.round(delayMs * (0.75 + Math.random() / 4));
}
