import { mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { freePort } from "./free-port.ts";
import {
  becomesReady,
  keepPreviousLog,
  type RunningStore,
  type ServerProcess,
  SetupError,
  type StartOptions,
  startServerProcess,
} from "./process.ts";
import { findRedisServer } from "./redis-binary.ts";
import { redisCommand } from "./redis-command.ts";
import { removeServerRecord, stopLeftoverServer, writeServerRecord } from "./server-record.ts";

const START_ATTEMPTS = 5;

export interface RedisOptions extends StartOptions {
  /** Data directory; created if missing. A server that a killed process left running in it is stopped first. */
  dir: string;
  /** Default: a free port. */
  port?: number;
  /** true: every write is on disk before its reply. false (default): no persistence. */
  appendonly?: boolean;
  /** true: a node of a Redis Cluster, whose bus listens on another free port. Default: false. */
  clusterNode?: boolean;
  /** Further flags of redis-server. */
  flags?: string[];
}

/** Starts a Redis, which answers PING when this returns. It never evicts keys, because they hold money. */
export async function startRedis(options: RedisOptions): Promise<RunningStore> {
  const executable = await findRedisServer(options.onProgress);
  const dir = resolve(options.dir);
  mkdirSync(dir, { recursive: true });
  await stopLeftoverServer(dir);
  const logFile = join(dir, "redis.log");
  keepPreviousLog(logFile);
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await freePort());
    const busPort = options.clusterNode === true ? await freePort() : undefined;
    const server = startServerProcess({
      executable,
      args: redisArguments(dir, port, busPort, options),
      logFile,
      stopSignal: "SIGTERM",
    });
    if (await becomesReady("Redis", server, () => isReady(server, port), options)) {
      writeServerRecord(dir, server.pid);
      void server.exited.then(() => removeServerRecord(dir));
      return { ...server, port, busPort, url: `redis://127.0.0.1:${port}` };
    }
    await server.stop();
    options.signal?.throwIfAborted();
    const log = readFileSync(logFile, "utf8").trim();
    const portWasTaken = /Address already in use|Failed listening on port/.test(log);
    const isAnotherPortPossible = options.port === undefined || busPort !== undefined;
    if (!portWasTaken || !isAnotherPortPossible || attempt === START_ATTEMPTS) {
      throw new SetupError(
        `Redis did not start in ${dir}: ${log.split("\n").at(-1) || "it printed nothing"}`,
      );
    }
  }
}

/** Another server may have taken the port meanwhile, and answers there. */
async function isReady(server: ServerProcess, port: number): Promise<boolean> {
  const reply = await redisCommand(port, "PING").catch(() => "");
  if (!reply.startsWith("+PONG")) return false;
  const info = await redisCommand(port, "INFO server").catch(() => "");
  return info.includes(`\nprocess_id:${server.pid}\r`);
}

function redisArguments(
  dir: string,
  port: number,
  busPort: number | undefined,
  options: RedisOptions,
): string[] {
  return [
    ...["--port", String(port), "--bind", "127.0.0.1", "--dir", dir],
    ...["--daemonize", "no", "--save", "", "--maxmemory-policy", "noeviction"],
    ...(options.appendonly === true
      ? ["--appendonly", "yes", "--appendfsync", "always"]
      : ["--appendonly", "no"]),
    ...(busPort === undefined
      ? []
      : ["--cluster-enabled", "yes", "--cluster-node-timeout", "5000", "--cluster-port", String(busPort)]),
    ...(options.flags ?? []),
  ];
}
