import type { RequestListener } from "node:http";
import {
  createDatabase,
  createPipeline,
  createReader,
  type Database,
  DatabaseUnavailable,
  hasOtherPlayerHashKey,
  installationId,
  recordPlayerHashKey,
  requireWritable,
  TransactionConflict,
} from "@diegetic/database";
import {
  connectRedis,
  createMoneyCommands,
  createSessionReader,
  DueIndex,
  hashSlotOwners,
  InstallationClaim,
  isRedisUnavailable,
  masterReplicationIds,
  ProcessReporter,
  playerHashKeyCheck,
  RateLimiter,
  SnapshotPublisher,
  TrafficReader,
} from "@diegetic/hot-state";
import {
  apiOptions,
  createApp,
  createConnectionLogs,
  failingChecks,
  type Logger,
  type Metrics,
  type ReadinessChecks,
  type RepeatingTask,
  sessionCookieName,
} from "@diegetic/service-kit";
import { Router } from "express";
import { Publishing } from "./core/publishing/publishing.ts";
import { RepairLoop } from "./core/publishing/repair-loop.ts";
import { CallerReads } from "./core/read-your-writes/caller-reads.ts";
import { ReadingBarrier } from "./core/read-your-writes/reading-barrier.ts";
import { ExpiringCache } from "./core/shared/expiring-cache.ts";
import type { Clock } from "./core/shared/time.ts";
import { WalletRecovery } from "./core/wallet-recovery/wallet-recovery.ts";
import { managementEndpoints, misroutedEndpoints, signedInEndpoints } from "./endpoints.ts";
import { MAX_RUNNING_REPORTS, ReportQueue } from "./features/analytics/report-queue.ts";
import { apiDocumentPages } from "./features/api-document/pages.ts";
import { createKeyDirectory } from "./features/api-keys/key-directory.ts";
import { keyDerivationSecret } from "./features/api-keys/key-secret.ts";
import { dashboardPages } from "./features/dashboard/pages.ts";
import { Market } from "./features/explain/market.ts";
import type { Parts } from "./features/parts.ts";
import { createAuth } from "./features/sessions/auth.ts";
import { DeviceCookies } from "./features/sessions/device-cookie.ts";
import { CALLS_OF_ACCOUNTS_KEPT, CALLS_OF_GAMES_KEPT } from "./features/traffic/endpoints.ts";
import { MarketWords } from "./features/traffic/words.ts";
import type { ManagementSettings } from "./settings.ts";
import { createUpkeep } from "./upkeep.ts";

/** To Postgres, for changes of campaigns and their publishing. */
const WRITING_CONNECTIONS = 8;
/** Requests of an account that run at a time. Those that read share ten connections to Postgres with those of all others. */
const MAX_RUNNING_PER_ACCOUNT = { reads: 6, others: 16 };

export interface ManagementOptions {
  settings: ManagementSettings;
  logger: Logger;
  metrics: Metrics;
  /** Default: the system clock. */
  clock?: Clock;
  /** How long a change waits for match instances before the request is answered without confirmation. Default: 5 s. */
  propagationTimeoutMs?: number;
  /** How long publishing waits for a row that another transaction has locked. Default: 3 s. */
  publishingLockWaitMs?: number;
  /** How long other instances leave a wallet to the one that has begun to restore it. Default: 3 s. */
  walletClaimMs?: number;
  /** Pause between two deletions of old rows. Default: 10 s. */
  deletionEveryMs?: number;
  /** Time limit for a reply of Redis. Default: that of `connectRedis`. */
  redisTimeoutMs?: number | undefined;
  /** Length of match instances' leases; theirs must be the same. Default: that of `SnapshotPublisher`. */
  leaseMs?: number | undefined;
}

export interface Management {
  /** Not listening yet. */
  app: RequestListener;
  readiness: ReadinessChecks;
  database: Database;
  publishing: Publishing;
  repairLoop: RepairLoop;
  upkeep: readonly RepeatingTask[];
  /**
   * Publishes everything once, then keeps repairing what was left behind, and starts upkeep. Waits for unavailable stores.
   * Rejects when Redis or the database is unusable.
   */
  start(): Promise<void>;
  /** Stops the start, or loop and upkeep, and closes the connections. */
  stop(): Promise<void>;
}

/** Builds the service on its stores. Does not listen or publish until started. */
export function createManagement(options: ManagementOptions): Management {
  const { settings, logger, metrics } = options;
  const clock = options.clock ?? Date.now;
  const stores = connectStores(options);
  const { database, pipeline, redis } = stores;
  const connectionLog = createConnectionLogs(logger, metrics, { postgres: () => requireWritable(database) });
  const commands = connectionLog("commands");
  redis.on("error", commands.failed).on("ready", commands.succeeded);
  const claim = new InstallationClaim(redis, () => installationId(database));
  const wallets = createMoneyCommands(redis);
  const snapshot = new SnapshotPublisher(redis, { leaseMs: options.leaseMs });
  const propagationSeconds = metrics.histogram(
    "snapshot_propagation_seconds",
    "Time from the commit of a change until every match instance applied it",
  );
  const recovery = new WalletRecovery({
    database,
    wallets,
    due: new DueIndex(redis, { nowMs: clock }),
    claim,
    nowMs: clock,
    logger,
    metrics,
    claimMs: options.walletClaimMs,
  });
  const publishing = new Publishing({
    database,
    pipeline,
    wallets,
    recovery,
    snapshot,
    claim,
    nowMs: clock,
    logger,
    observeSeconds: (seconds) => propagationSeconds.observe(seconds),
    propagationTimeoutMs: options.propagationTimeoutMs,
    maxLockWaitMs: options.publishingLockWaitMs,
  });
  const repairLoop = new RepairLoop({
    database,
    publishing,
    snapshot,
    recovery,
    claim,
    recordPlayerHashKey: () => recordOwnPlayerHashKey(database, settings.secrets.playerHashKey, logger),
    replicationIds: () => masterReplicationIds(redis),
    owners: () => hashSlotOwners(redis),
    logger,
    metrics,
  });
  const { deletionEveryMs } = options;
  const upkeep = createUpkeep({ database, redis, claim, snapshot, logger, deletionEveryMs });
  const market = new Market(redis, {
    instance: settings.instanceName,
    logger,
    connection: connectionLog("market"),
  });
  const readiness: ReadinessChecks = {
    // Requests that read are served by a server that only allows reads, too.
    postgres: () => database.$queryRaw`SELECT 1`,
    redis: () => redis.ping(),
    // A readiness check must not claim Redis.
    installation: () => claim.verify(),
    snapshot: async () => {
      if (await snapshot.needsRebuild()) throw new Error("the snapshot is not complete");
    },
  };
  let isStopping = false;
  const reporter = new ProcessReporter(redis, {
    service: "management",
    instance: settings.instanceName,
    state: async () => ({ failing: await failingChecks(readiness) }),
    checkOwner: () => claim.check(),
    nowMs: clock,
  });
  return {
    app: createManagementApp(options, {
      ...stores,
      processId: reporter.id,
      claim,
      wallets,
      publishing,
      market,
      readiness,
      clock,
    }),
    readiness,
    database,
    publishing,
    repairLoop,
    upkeep,
    async start() {
      await repairLoop.start();
      if (isStopping) return;
      for (const task of upkeep) task.start();
      market.start();
      reporter.start();
    },
    async stop() {
      isStopping = true;
      await Promise.all([...upkeep, repairLoop, market, reporter].map((one) => one.stop()));
      await stores.close();
    },
  };
}

type Stores = ReturnType<typeof connectStores>;

/** The connections to Postgres and Redis. */
function connectStores({ settings: { instanceName, secrets }, redisTimeoutMs }: ManagementOptions) {
  const named = { applicationName: instanceName };
  const database = createDatabase(secrets.databaseUrl, named);
  const reader = createReader(secrets.databaseUrl, named);
  const reports = createReader(secrets.databaseUrl, { ...named, poolSize: MAX_RUNNING_REPORTS });
  const pipeline = createPipeline(secrets.databaseUrl, {
    ...named,
    poolSize: WRITING_CONNECTIONS,
    prepared: true,
  });
  const redis = connectRedis(secrets.redisUrl, { name: instanceName, commandTimeoutMs: redisTimeoutMs });
  const close = async () => {
    redis.disconnect();
    await Promise.all([reader.close(), reports.close(), pipeline.close(), database.$disconnect()]);
  };
  return { database, reader, reports, pipeline, redis, close };
}

/** Local stacks with a key each may share a database, so another key is only logged. */
async function recordOwnPlayerHashKey(
  database: Database,
  playerHashKey: string,
  logger: Logger,
): Promise<void> {
  const check = playerHashKeyCheck(playerHashKey);
  await recordPlayerHashKey(database, check);
  if (await hasOtherPlayerHashKey(database, check)) {
    logger.warn({ setting: "PLAYER_HASH_KEY" }, "player hash key differs from the recorded one");
  }
}

function createManagementApp(
  { settings, logger, metrics }: ManagementOptions,
  parts: Stores &
    Pick<Parts, "processId" | "wallets" | "publishing" | "market" | "readiness" | "clock"> & {
      claim: InstallationClaim;
    },
): RequestListener {
  const { reader, redis, wallets, clock } = parts;
  const options = apiOptions(settings);
  const traffic = new TrafficReader(redis);
  const barrier = new ReadingBarrier({ reader, money: wallets, due: new DueIndex(redis) });
  const features: Parts = {
    instanceName: settings.instanceName,
    ...parts,
    barrier,
    reads: new CallerReads({ reader, barrier }),
    reportQueue: new ReportQueue(),
    defaultLimits: options.rateLimits,
    keyDerivationSecret: keyDerivationSecret(settings.secrets.playerHashKey),
    auth: createAuth(parts.database, settings),
    cookieName: sessionCookieName(settings.publicUrl),
    rateLimitSignIn: settings.rateLimitSignIn,
    devices: new DeviceCookies(settings.secrets.authSecret, settings.publicUrl),
    signUpPolicy: {
      mode: settings.signUp,
      setupToken: settings.secrets.setupToken,
      publicUrl: settings.publicUrl,
    },
    demoGameKey: settings.secrets.demoGameKey,
    webhookAddresses: settings.webhookAddresses,
    sessions: createSessionReader(redis),
    traffic,
    callsOfAccounts: new ExpiringCache(clock, CALLS_OF_ACCOUNTS_KEPT),
    callsOfGames: new ExpiringCache(clock, CALLS_OF_GAMES_KEPT),
    words: new MarketWords({ reader, traffic, clock }),
    players: {
      hashKey: settings.secrets.playerHashKey,
      sessionIdleSeconds: settings.sessionIdleSeconds,
      namedSessionIdleSeconds: settings.namedSessionIdleSeconds,
    },
  };
  return createApp({
    ...options,
    maxRunningPerAccount: MAX_RUNNING_PER_ACCOUNT,
    endpoints: [...managementEndpoints(features), ...signedInEndpoints(features), ...misroutedEndpoints()],
    keys: createKeyDirectory(parts, clock),
    rateLimiter: new RateLimiter(redis),
    logger,
    metrics,
    readiness: parts.readiness,
    pages: Router().use(apiDocumentPages(settings), dashboardPages(settings)),
    isStoreUnavailable: (error) =>
      error instanceof DatabaseUnavailable ||
      error instanceof TransactionConflict ||
      isRedisUnavailable(error),
    nowMs: clock,
  });
}
