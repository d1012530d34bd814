import type { RequestListener } from "node:http";
import {
  createDatabase,
  createReader,
  type Database,
  DatabaseAway,
  installationId,
  type Reader,
  TransactionConflict,
} from "@diegetic/database";
import {
  connectRedis,
  createMoneyCommands,
  createSessionReader,
  DueIndex,
  InstallationClaim,
  isRedisAway,
  type MoneyCommands,
  masterLineages,
  RateLimiter,
  type RedisConnection,
  SnapshotPublisher,
  slotOwners,
  TrafficReader,
} from "@diegetic/hot-state";
import {
  createApp,
  createOutageLog,
  type Logger,
  type Metrics,
  type ReadinessChecks,
  sessionCookieName,
} from "@diegetic/service-kit";
import { Router } from "express";
import { apiDocumentPages } from "./api-document/pages.ts";
import { createKeyDirectory } from "./api-keys/key-directory.ts";
import { keyTextSecret } from "./api-keys/key-text.ts";
import { noteUsesOfMatchTier } from "./api-keys/note-uses.ts";
import { dashboardPages } from "./dashboard/pages.ts";
import { type FeatureParts, managementEndpoints, signedInEndpoints } from "./endpoints.ts";
import { Market } from "./explain/market.ts";
import { forgetOldAnswers } from "./idempotency/create-once.ts";
import { CallerReads } from "./reading-barrier/caller-reads.ts";
import { ReadingBarrier } from "./reading-barrier/reading-barrier.ts";
import { createAuth } from "./sessions/auth.ts";
import { DeviceCookies } from "./sessions/device-cookie.ts";
import { forgetEndedSessions } from "./sessions/store.ts";
import type { ManagementSettings } from "./settings.ts";
import type { Clock } from "./shared/time.ts";
import { SlotRecovery } from "./slot-recovery/slot-recovery.ts";
import { Publishing } from "./snapshot-publishing/publishing.ts";
import { Reconciler } from "./snapshot-publishing/reconciler.ts";
import { MarketWords } from "./traffic/words.ts";

export interface ManagementOptions {
  settings: Pick<
    ManagementSettings,
    | "instanceName"
    | "basePath"
    | "publicUrl"
    | "trustedProxies"
    | "requestsAtATime"
    | "rateLimitMatch"
    | "rateLimitImpressions"
    | "rateLimitManagement"
    | "rateLimitAnalytics"
    | "rateLimitExplain"
    | "rateLimitSignIn"
    | "signUp"
    | "rateLimitAccountFactor"
    | "sessionIdleSeconds"
    | "namedSessionIdleSeconds"
    | "secrets"
  >;
  logger: Logger;
  metrics: Metrics;
  /** Default: the system's clock. */
  clock?: Clock;
  /** How long a change waits until every match instance obeys it, before it is answered otherwise. Default: 5 s. */
  obeyedWithinMs?: number;
}

export interface Management {
  /** Not listening yet. */
  app: RequestListener;
  readiness: ReadinessChecks;
  database: Database;
  publishing: Publishing;
  reconciler: Reconciler;
  /** Publishes everything once, then keeps reconciling. Rejects when a store is away, or Redis another installation's. */
  start(): Promise<void>;
  /** Ends the loop and closes the connections. */
  stop(): Promise<void>;
}

/** Builds the service on its stores; it neither listens nor publishes before it is told to. */
export function createManagement(options: ManagementOptions): Management {
  const { settings, logger, metrics } = options;
  const clock = options.clock ?? Date.now;
  const database = createDatabase(settings.secrets.databaseUrl, { applicationName: settings.instanceName });
  const reader = createReader(settings.secrets.databaseUrl, { applicationName: settings.instanceName });
  const redis = connectRedis(settings.secrets.redisUrl, { name: settings.instanceName });
  const commands = createOutageLog(logger)("commands");
  redis.on("error", commands.failed).on("ready", commands.works);
  const claim = new InstallationClaim(redis, () => installationId(database));
  const slots = createMoneyCommands(redis);
  const snapshot = new SnapshotPublisher(redis);
  const obeyedSeconds = metrics.histogram(
    "snapshot_obeyed_seconds",
    "Time from the commit of a change until every match instance obeyed it",
  );
  const recovery = new SlotRecovery({
    database,
    slots,
    due: new DueIndex(redis, { now: clock }),
    claim,
    nowMs: clock,
    logger,
    metrics,
  });
  const publishing = new Publishing({
    database,
    slots,
    recovery,
    snapshot,
    claim,
    nowMs: clock,
    logger,
    observeSeconds: (seconds) => obeyedSeconds.observe(seconds),
    obeyedWithinMs: options.obeyedWithinMs,
  });
  const reconciler = new Reconciler({
    database,
    publishing,
    snapshot,
    recovery,
    claim,
    lineages: () => masterLineages(redis),
    owners: () => slotOwners(redis),
    upkeep: async () => {
      await forgetOldAnswers(database, clock());
      await forgetEndedSessions(database, clock());
      await noteUsesOfMatchTier(database, redis);
    },
    logger,
    metrics,
  });
  const market = new Market(redis, { instance: settings.instanceName, logger });
  const readiness: ReadinessChecks = {
    postgres: () => database.$queryRaw`SELECT 1`,
    redis: () => redis.get("{readiness}"),
    // A probe claims nothing.
    installation: () => claim.look(),
    snapshot: async () => {
      if (await snapshot.needsRebuild()) throw new Error("the snapshot is not complete");
    },
  };
  return {
    app: createManagementApp(options, {
      database,
      reader,
      redis,
      claim,
      slots,
      publishing,
      market,
      readiness,
      clock,
    }),
    readiness,
    database,
    publishing,
    reconciler,
    async start() {
      await reconciler.start();
      market.start();
    },
    async stop() {
      await Promise.all([reconciler.stop(), market.stop()]);
      redis.disconnect();
      await Promise.all([reader.close(), database.$disconnect()]);
    },
  };
}

function createManagementApp(
  { settings, logger, metrics }: ManagementOptions,
  parts: {
    database: Database;
    reader: Reader;
    redis: RedisConnection;
    claim: InstallationClaim;
    slots: MoneyCommands;
    publishing: Publishing;
    market: Market;
    readiness: ReadinessChecks;
    clock: Clock;
  },
): RequestListener {
  const { reader, redis, slots, clock } = parts;
  const rateLimits = {
    match: settings.rateLimitMatch,
    impressions: settings.rateLimitImpressions,
    management: settings.rateLimitManagement,
    analytics: settings.rateLimitAnalytics,
    explain: settings.rateLimitExplain,
  };
  const traffic = new TrafficReader(redis);
  const barrier = new ReadingBarrier({ reader, money: slots, due: new DueIndex(redis) });
  const features: FeatureParts = {
    ...parts,
    barrier,
    reads: new CallerReads({ reader, barrier }),
    defaultLimits: rateLimits,
    keyTextSecret: keyTextSecret(settings.secrets.playerHashKey),
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
    sessions: createSessionReader(redis),
    traffic,
    words: new MarketWords({ reader, traffic, clock }),
    players: {
      hashKey: settings.secrets.playerHashKey,
      sessionIdleSeconds: settings.sessionIdleSeconds,
      namedSessionIdleSeconds: settings.namedSessionIdleSeconds,
    },
  };
  return createApp({
    basePath: settings.basePath,
    publicUrl: settings.publicUrl,
    trustedProxies: settings.trustedProxies,
    requestsAtATime: settings.requestsAtATime,
    endpoints: [...managementEndpoints(features), ...signedInEndpoints(features)],
    keys: createKeyDirectory(parts, clock),
    rateLimiter: new RateLimiter(redis),
    rateLimits,
    rateLimitAccountFactor: settings.rateLimitAccountFactor,
    logger,
    metrics,
    readiness: parts.readiness,
    pages: Router().use(apiDocumentPages(settings), dashboardPages(settings)),
    isStoreAway: (error) =>
      error instanceof DatabaseAway || error instanceof TransactionConflict || isRedisAway(error),
    nowMs: clock,
  });
}
