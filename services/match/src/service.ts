import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { servingApi } from "@diegetic/contracts";
import {
  connectRedis,
  createBillingProducer,
  createGameSessions,
  createMoneyCommands,
  createReserveAndAdmit,
  createSliceGrants,
  DueIndex,
  IdempotencyClaims,
  isRedisUnavailable,
  KeyUses,
  ProcessReporter,
  RateLimiter,
  type RedisConnection,
  type ServingOperation,
  SnapshotFollower,
  SnapshotNotPublished,
  serverMemory,
  TrafficRecorder,
} from "@diegetic/hot-state";
import {
  apiOptions,
  createApp,
  createConnectionLogs,
  failingChecks,
  type Logger,
  logOutageOrWait,
  type Metrics,
  OutageLog,
  type ReadinessChecks,
} from "@diegetic/service-kit";
import { Catalog } from "./catalog/catalog.ts";
import { outdated } from "./failures.ts";
import { ImpressionBatcher } from "./impressions/impression-batcher.ts";
import { createImpressionsEndpoint } from "./impressions/impressions-endpoint.ts";
import type { MatchDependencies } from "./match/dependencies.ts";
import { createMatchEndpoint } from "./match/match-endpoint.ts";
import { MatchIds } from "./match-id/match-ids.ts";
import { ShareRefusals } from "./refusals/share-refusals.ts";
import type { MatchSecrets, MatchSettings } from "./settings.ts";

const EVICTION_AGAIN_AFTER_MS = 1_000;

/** The operation that a refused call counts for in traffic statistics. */
const OPERATION_OF_PATH: Readonly<Record<string, ServingOperation>> = {
  [servingApi.operations.match.path]: "match",
  [servingApi.operations.recordImpression.path]: "impressions",
};

export interface MatchServiceOptions {
  settings: MatchSettings;
  secrets: MatchSecrets;
  logger: Logger;
  metrics: Metrics;
  /** In [0, 1); draws the winner of ties. Default: Math.random. */
  random?: () => number;
  /** Time limit for a reply of Redis. Default: that of `connectRedis`. */
  redisTimeoutMs?: number | undefined;
}

export interface MatchService {
  app: ReturnType<typeof createApp>;
  readiness: ReadinessChecks;
  /** Resolves once this instance may serve; rejects after `timeoutMs`. */
  waitUntilFresh(timeoutMs: number): Promise<void>;
  /** Flushes buffers, drops the lease and closes the connections. Stop listening first. */
  stop(): Promise<void>;
}

/**
 * The match tier: `/match` and `/impressions`. Keeps no state that another instance would need. Follows the snapshot from
 * the start; until it is loaded, and while Redis is unavailable, every request is answered 503.
 */
export function createMatchService(options: MatchServiceOptions): MatchService {
  const parts = createParts(options);
  const { redis, producer, follower, batcher, keyUses, keyUseOutage, traffic, trafficOutage } = parts;
  const readiness: ReadinessChecks = {
    redis: () => redis.ping(),
    snapshot: () => {
      if (!follower.isFresh()) throw new Error(`the snapshot is not fresh (${follower.state})`);
    },
  };
  const app = createApi(options, parts, readiness);
  const reporter = new ProcessReporter(redis, {
    service: "match",
    instance: options.settings.instanceName,
    state: async () => ({ failing: await failingChecks(readiness), calls: traffic.recent(parts.nowMs()) }),
    nowMs: parts.nowMs,
  });
  follower.start();
  reporter.start();
  return {
    app,
    readiness,
    waitUntilFresh: (timeoutMs) => follower.waitUntilFresh(timeoutMs),
    stop: async () => {
      await Promise.all([follower.stop(), reporter.stop()]);
      await batcher.flush();
      await producer.close();
      await keyUses.flush().catch(keyUseOutage.failed);
      await traffic.flush().catch(trafficOutage.failed);
      redis.disconnect();
    },
  };
}

type Parts = ReturnType<typeof createParts>;

/** Objects with the lifetime of the service. */
function createParts({ settings, secrets, logger, metrics, redisTimeoutMs }: MatchServiceOptions) {
  const outageOf = createConnectionLogs(logger, metrics);
  const redis = connectRedis(secrets.redisUrl, {
    name: settings.instanceName,
    commandTimeoutMs: redisTimeoutMs,
  });
  const commandOutage = outageOf("commands");
  redis.on("error", commandOutage.failed).on("ready", commandOutage.succeeded);
  redis.on("ready", () => warnOfEviction(redis, logger));
  const queueOutage = outageOf("billing queue");
  const producer = createBillingProducer(secrets.redisUrl, {
    name: `${settings.instanceName}-billing`,
    onError: queueOutage.failed,
    onSuccess: queueOutage.succeeded,
  });
  const catalog = new Catalog(randomInt(2 ** 32));
  let isTidying = false;
  /** In batches of at most 64 of each kind; a batch takes milliseconds if their posting lists are very long. */
  const tidyBetweenRequests = () => {
    if (isTidying) return;
    isTidying = catalog.index.tidy(Date.now());
    if (!isTidying) return;
    setImmediate(() => {
      isTidying = false;
      tidyBetweenRequests();
    });
  };
  const follower = new SnapshotFollower(redis, {
    instance: settings.instanceName,
    onChange: (change) => {
      catalog.apply(change);
      tidyBetweenRequests();
    },
    ...snapshotLog(logger, outageOf("snapshot")),
  });
  const measures = createMeasures(metrics, catalog);
  const batcher = new ImpressionBatcher({ producer, logger, count: measures.countQueued });
  const trafficOutage = outageOf("traffic statistics");
  const traffic = new TrafficRecorder(redis, {
    onError: trafficOutage.failed,
    onSuccess: trafficOutage.succeeded,
  });
  const keyUseOutage = outageOf("uses of keys");
  const keyUses = new KeyUses(redis, { onError: keyUseOutage.failed, onSuccess: keyUseOutage.succeeded });
  return {
    redis,
    producer,
    catalog,
    tidyBetweenRequests,
    follower,
    measures,
    batcher,
    keyUses,
    keyUseOutage,
    traffic,
    trafficOutage,
    nowMs: Date.now,
  };
}

function createDependencies(
  { settings, secrets, logger, random = Math.random }: MatchServiceOptions,
  { redis, catalog, tidyBetweenRequests, follower, measures, traffic, nowMs }: Parts,
): MatchDependencies {
  const times = {
    holdTtlMs: settings.holdTtlSeconds * 1_000,
    lateImpressionMs: settings.lateImpressionSeconds * 1_000,
    matchWithoutIdMs: settings.matchWithoutIdSeconds * 1_000,
  };
  const money = createMoneyCommands(redis, times);
  const sessions = createGameSessions(redis);
  return {
    settings,
    playerHashKey: secrets.playerHashKey,
    // Ids from before MATCH_ID_KEYS was set stay valid.
    matchIds: new MatchIds([...(secrets.matchIdKeys ?? []), secrets.playerHashKey] as [string, ...string[]]),
    catalog,
    tidyBetweenRequests,
    shareRefusals: new ShareRefusals(),
    money,
    grants: createSliceGrants(redis),
    sessions,
    reserveAndAdmit: createReserveAndAdmit(redis, times, { money, sessions }),
    due: new DueIndex(redis, { nowMs }),
    traffic,
    logger,
    requireFresh: () => {
      if (!follower.isFresh()) throw outdated();
    },
    leaseExpiresMs: () => follower.leaseExpiresMs,
    catchUp: async () => {
      await follower.catchUp().catch((cause: unknown) => {
        throw outdated(cause);
      });
    },
    nowMs,
    random,
    countReservation: measures.countReservation,
  };
}

function createApi(
  options: MatchServiceOptions,
  parts: Parts,
  readiness: ReadinessChecks,
): MatchService["app"] {
  const { settings, logger, metrics } = options;
  const { redis, catalog, batcher, keyUses, traffic, nowMs } = parts;
  const dependencies = createDependencies(options, parts);
  return createApp({
    ...apiOptions(settings),
    endpoints: [
      createMatchEndpoint(dependencies),
      createImpressionsEndpoint({ ...dependencies, claims: new IdempotencyClaims(redis), batcher }),
    ],
    keys: {
      // A key that was just revoked must not be valid here any more.
      find: (sha256Hex) => {
        dependencies.requireFresh();
        const atMs = nowMs();
        const key = catalog.key(sha256Hex, atMs);
        if (key !== undefined) keyUses.record(key.id, atMs);
        return key;
      },
      findSession: (sha256Hex) => {
        dependencies.requireFresh();
        return catalog.session(sha256Hex, nowMs());
      },
    },
    rateLimiter: new RateLimiter(redis),
    logger,
    metrics,
    readiness,
    isStoreUnavailable: isRedisUnavailable,
    onFailure: ({ accountId, path, status }) => {
      const operation = OPERATION_OF_PATH[path];
      if (operation !== undefined) traffic.accountRefusal(accountId, operation, status, nowMs());
    },
    fastPath: true,
    nowMs,
  });
}

/** A snapshot that is not yet published is normal during a start of the stack; any other error is a failure. */
function snapshotLog(logger: Logger, outage: OutageLog) {
  const wait = new OutageLog(logger, {
    failing: "match waits for the snapshot",
    recovered: "snapshot loaded",
    firstLevel: "info",
  });
  return logOutageOrWait(outage, wait, (error) => error instanceof SnapshotNotPublished);
}

/**
 * Checks after every connection, because the address may lead to another server by then. Retries while the connection
 * lasts; unavailability is logged elsewhere.
 */
async function warnOfEviction(redis: RedisConnection, logger: Logger): Promise<void> {
  while (redis.status === "ready") {
    try {
      const policies = new Set(
        (await serverMemory(redis)).map(({ settings }) => settings["maxmemory-policy"]),
      );
      for (const harmless of ["noeviction", undefined]) policies.delete(harmless);
      if (policies.size === 0) return;
      return logger.error({ policies: [...policies], required: "noeviction" }, "redis may evict money");
    } catch (error) {
      if (!isRedisUnavailable(error))
        return logger.warn({ err: error }, "could not read the eviction policy of redis");
      await sleep(EVICTION_AGAIN_AFTER_MS, undefined, { ref: false });
    }
  }
}

function createMeasures(metrics: Metrics, catalog: Catalog) {
  const reservations = metrics.counter("match_reservations_total", "Reservations by result", ["result"]);
  const queued = metrics.counter(
    "impressions_queued_total",
    "Committed impressions by what became of queueing them; the outbox has those that were not queued",
    ["outcome"],
  );
  metrics.gauge("snapshot_entities", "Entities known from the snapshot", ["kind"], (gauge) => {
    for (const [kind, size] of Object.entries(catalog.sizes())) gauge.set({ kind }, size);
  });
  return {
    countReservation: (result: string) => reservations.inc({ result }),
    countQueued: (outcome: string, records: number) => queued.inc({ outcome }, records),
  };
}
