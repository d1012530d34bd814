import type { Socket } from "node:net";
import { Cluster, Redis, type RedisOptions } from "ioredis";

/** A connection to a single Redis or to a Redis Cluster; opaque outside this package. */
export type RedisConnection = Redis | Cluster;

export interface ConnectionOptions {
  /** Name in CLIENT LIST. */
  name: string;
  /** Time limit for the reply to a command, the wait for a connection included. Default: 2 000. */
  commandTimeoutMs?: number | undefined;
  /** Commands wait for the connection without a time limit, as a queue worker requires. Default: false. */
  patient?: boolean;
}

const COMMAND_TIMEOUT_MS = 2_000;
/** A connection with an outstanding reply for this much longer is replaced: its server may have vanished silently. */
const SILENT_FOR_MS = 1_000;
/** Commands that wait fail at the next one. */
const MAX_FAILED_RECONNECTIONS = 1;
/** Least time from one departure from a replica to the next. */
const MIN_BETWEEN_LEAVING_MS = 1_000;
/** Longer than a queue worker's blocking command. */
const PATIENT_SILENT_FOR_MS = 12_000;
const CLUSTER_ADDRESS = /^redis(?<tls>s?)-cluster:\/\/(?:(?<user>[^:]*):(?<password>.*)@)?(?<nodes>[^@]*)$/;

/**
 * Connects to `redis://host:port/db` or a cluster as `redis-cluster://h1:p1,h2:p2,…`, with `rediss` by TLS. While the
 * connection is down, a command waits for at most two failed reconnections and at most `commandTimeoutMs`, then fails:
 * short interruptions go unnoticed, and callers fail closed soon. Autopipelining stays off: it slows down handlers with a
 * single call, and breaks while a cluster is resharded.
 */
export function connectRedis(url: string, options: ConnectionOptions): RedisConnection {
  const commandTimeout = options.commandTimeoutMs ?? COMMAND_TIMEOUT_MS;
  const redisOptions = {
    connectionName: options.name,
    ...(options.patient ? {} : { commandTimeout }),
    socketTimeout: options.patient ? PATIENT_SILENT_FOR_MS : commandTimeout + SILENT_FOR_MS,
    connectTimeout: 5_000,
    maxRetriesPerRequest: options.patient ? null : MAX_FAILED_RECONNECTIONS,
    enableAutoPipelining: false,
    retryStrategy: reconnectDelayMs,
  };
  const address = readClusterAddress(url);
  if (address !== undefined) {
    const cluster = new Cluster(address.nodes, {
      redisOptions: { ...redisOptions, ...address.access },
      // A certificate is for the name, which the client would replace by its address.
      ...(address.access.tls && { dnsLookup: (host, found) => found(null, host) }),
      slotsRefreshTimeout: 2_000,
      scaleReads: "master",
      clusterRetryStrategy: reconnectDelayMs,
    });
    cluster.on("+node", writeTogether);
    if (!options.patient) limitWaiting(cluster, commandTimeout);
    return surviveErrors(cluster);
  }
  return surviveErrors(
    writeTogether(new Redis(url, { ...redisOptions, reconnectOnError: createReplicaLeaver() })),
  );
}

/**
 * Says by a server's error whether to connect anew. A failover may make the server a replica, which keeps its connections: the
 * next one leads to the new primary, unless the address leads to a replica for good. A cluster's replica redirects instead.
 */
function createReplicaLeaver(): (error: Error) => boolean {
  let leftAtMs = Number.NEGATIVE_INFINITY;
  return ({ message }) => {
    const isReplica = message.startsWith("READONLY") || message.startsWith("MASTERDOWN");
    const nowMs = performance.now();
    if (!isReplica || nowMs - leftAtMs < MIN_BETWEEN_LEAVING_MS) return false;
    leftAtMs = nowMs;
    return true;
  };
}

/** An error event without a listener would end the process, or bypass the log; each failed command reports its error. */
function surviveErrors<Connection extends RedisConnection>(redis: Connection): Connection {
  redis.on("error", () => undefined);
  return redis;
}

/**
 * Ends what waits for a cluster without a usable node. The client limits commands only once a node has them: those that
 * wait for any node would wait, and keep their callers waiting, for as long as none answers.
 */
function limitWaiting(cluster: Cluster, commandTimeoutMs: number): void {
  const { sendCommand } = cluster;
  cluster.sendCommand = (command, ...rest) => {
    command.setTimeout(commandTimeoutMs);
    return Reflect.apply(sendCommand, cluster, [command, ...rest]);
  };
  const client = cluster as unknown as { flushQueue(error: Error): void };
  let failures = 0;
  let lastNodeError: unknown;
  cluster.on("node error", (error) => {
    lastNodeError = error;
  });
  cluster.on("ready", () => {
    failures = 0;
  });
  // "reconnecting" comes once for each attempt, "close" once for each node.
  cluster.on("reconnecting", () => {
    failures += 1;
    if (failures <= MAX_FAILED_RECONNECTIONS) return;
    client.flushQueue(Object.assign(new Error("None of startup nodes is available"), { lastNodeError }));
  });
}

export interface ClusterAddress {
  nodes: { host: string; port: number }[];
  /** The same for all nodes, also for those that are not named. */
  access: Pick<RedisOptions, "username" | "password" | "tls">;
}

/** `redis-cluster://user:password@h1:p1,h2:p2` or `rediss-cluster://…`; undefined: the address is that of a single server. */
export function readClusterAddress(url: string): ClusterAddress | undefined {
  const parts = CLUSTER_ADDRESS.exec(url)?.groups;
  if (parts === undefined) return undefined;
  const nodes = (parts.nodes ?? "").split(",").map((node) => {
    const separator = node.lastIndexOf(":");
    return { host: node.slice(0, separator), port: Number(node.slice(separator + 1)) };
  });
  const access = {
    ...(parts.user && { username: decodeURIComponent(parts.user) }),
    ...(parts.password && { password: decodeURIComponent(parts.password) }),
    ...(parts.tls && { tls: {} }),
  };
  return { nodes, access };
}

/**
 * Writes together what a callback sends, or what the promises that it settles send: a write is a system call, about as expensive
 * as the rest of a command. `setImmediate` would read new requests first, while Redis has nothing to do. Autopipelining does the
 * same with additional promises. Texts are joined first, because the stream would keep a record of each.
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
        if (gathered === "") process.nextTick(writeGathered);
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
 * A cluster client sends ASKING before a command that a moving hash slot redirects, and ignores the reply. If ASKING
 * fails, the command fails, too; but an unhandled rejection would end the process.
 */
const { asking } = Redis.prototype;
Redis.prototype.asking = function taken(this: Redis, ...parts: Parameters<typeof asking>) {
  const answer = asking.apply(this, parts);
  answer.catch(() => undefined);
  return answer;
};

interface ClusterInternals {
  manuallyClosing: boolean;
  reconnectTimeout: NodeJS.Timeout | null;
  handleCloseEvent(reason: unknown): void;
}

/**
 * Two faults of the client. It forgets this promise when a cluster that answers is not ready: it connects again later, with
 * another promise. A queue worker waits for this one, and would never take a job again. And if a former connection ends while the
 * addresses are looked up, it gives up for good.
 */
const { connect } = Cluster.prototype;
Cluster.prototype.connect = function connectOnce(this: Cluster) {
  const internals = this as unknown as ClusterInternals;
  return new Promise((resolve, reject) => {
    const onClose = () => reject(new Error("Connection is closed."));
    this.once("close", onClose);
    connect
      .call(this)
      .finally(() => this.off("close", onClose))
      .then(resolve, (error) => {
        reject(error);
        const hasGivenUp = this.status === "close" && internals.reconnectTimeout === null;
        if (hasGivenUp && !internals.manuallyClosing) internals.handleCloseEvent(error);
      });
  });
};

/**
 * Another connection with the same settings, for subscriptions, which the caller renews whenever it is ready: the client
 * handles no failure of those that it renews by itself, and an unhandled rejection would end the process.
 */
export function connectSubscriber(redis: RedisConnection): RedisConnection {
  if (redis instanceof Cluster) return surviveErrors(redis.duplicate());
  const subscriber = surviveErrors(redis.duplicate({ autoResubscribe: false }));
  // A replica accepts subscriptions, so reconnect whenever the command connection does.
  const follow = () => {
    if (subscriber.status === "ready") subscriber.disconnect(true);
  };
  redis.on("ready", follow);
  return subscriber.once("end", () => redis.off("ready", follow));
}

const FIRST_RECONNECT_MS = 50;
const MAX_RECONNECT_MS = 1_000;

/** Doubles up to one second, with jitter: services reconnect soon after Redis recovers, but not all at once. */
function reconnectDelayMs(attempt: number): number {
  const delayMs = Math.min(MAX_RECONNECT_MS, FIRST_RECONNECT_MS * 2 ** Math.min(attempt - 1, 10));
  return Math.round(delayMs * (0.75 + Math.random() / 4));
}
