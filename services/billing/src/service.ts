import { setTimeout as sleep } from "node:timers/promises";
import {
  type BillingProducer,
  createGameSessions,
  createMoneyCommands,
  createSliceReports,
  createWalletReader,
  DueIndex,
  ProcessReporter,
  RedisUnusable,
  type WalletLimits,
} from "@diegetic/hot-state";
import {
  failingChecks,
  type Logger,
  type Metrics,
  type ReadinessChecks,
  RepeatingTask,
} from "@diegetic/service-kit";
import { createBillingQueue } from "./billing-queue.ts";
import { OwnRedis } from "./loops/own-redis.ts";
import { createBillingMeasures } from "./measures.ts";
import { type BillingPace, DEFAULT_PACE } from "./pace.ts";
import { createPasses } from "./passes.ts";
import { Reconciler } from "./reconciliation/reconciler.ts";
import { Releaser } from "./release/releaser.ts";
import type { BillingSecrets, BillingSettings } from "./settings.ts";
import { StoreMonitor } from "./store-monitor.ts";
import { openStores, type Stores } from "./stores.ts";
import { damagedRecordKeeper } from "./sweep/damaged-records.ts";
import { QueueSilence } from "./sweep/queue-silence.ts";
import { Sweeper } from "./sweep/sweeper.ts";
import { createDeliveryQueue } from "./webhooks/delivery-queue.ts";
import { HoldOutcomes } from "./webhooks/hold-outcomes.ts";
import { DayPartitions } from "./write/day-partitions.ts";
import { ImpressionWriter, type ImpressionWriterDependencies } from "./write/impression-writer.ts";

/** The queue counts as silent when it delivers nothing for this many multiples of `overdueAfterMs`. */
const SILENT_AFTER = 3;
/** 10 000 holds block Redis for about 5 ms. */
const RECONCILIATION_LIMITS: WalletLimits = { holds: 10_000, records: 1_000, lateMs: 60_000 };
const RECONCILIATION_TIMEOUT_MS = 15_000;
const STORE_METRICS_EVERY_MS = 10_000;
/** The process ends 10 s after a signal; an unfinished job is delivered again. */
const DRAIN_MS = 7_000;
const CANCEL_EVERY_MS = 500;

export interface BillingServiceOptions {
  settings: BillingSettings;
  secrets: BillingSecrets;
  logger: Logger;
  metrics: Metrics;
  pace?: Partial<BillingPace>;
}

export interface BillingService {
  readiness: ReadinessChecks;
  /** Throws RedisUnusable. Resolves when a store is unavailable: the loops retry. */
  expectUsableRedis(): Promise<void>;
  /** Finishes running work, then closes the connections. */
  stop(): Promise<void>;
}

/**
 * Writes committed impressions to Postgres, queues lost records again, and releases lapsed holds. Starts immediately
 * and resumes after Postgres or Redis recovers. Does nothing while Redis belongs to another installation. Any number of
 * instances may run concurrently.
 */
export function createBillingService(options: BillingServiceOptions): BillingService {
  const parts = createParts(options);
  const { stores, database, redis, claim, due, logger, nowMs, pace } = parts;
  const outcomes = new HoldOutcomes(database);
  const silence = new QueueSilence(SILENT_AFTER * pace.overdueAfterMs, () => performance.now());
  const writing: Omit<ImpressionWriterDependencies, "pipeline"> = {
    ...parts,
    maxLockWaitMs: pace.maxLockWaitMs,
    onAcknowledged: (records) => outcomes.countCharged(records),
  };
  const writer = new ImpressionWriter({ ...writing, pipeline: stores.pipeline });
  const jobs = createBillingQueue({ ...parts, writer, silence });
  const webhooks = createDeliveryQueue(parts);
  const ownRedis = new OwnRedis({ claim, workers: [jobs.worker, webhooks.worker], logger });
  const spareWriter = new ImpressionWriter({ ...writing, pipeline: stores.sparePipeline });
  const sweeper = createSweeper(parts, jobs.producer, silence, spareWriter);
  const releaser = new Releaser({
    ...parts,
    sessions: createGameSessions(redis),
    onLapsed: (accountId) => outcomes.countLapsed(accountId),
  });
  const reconciliation = createReconciler(parts);
  const passes = createPasses({
    ...parts,
    sliceReports: createSliceReports(redis),
    sweeper,
    releaser,
    sender: webhooks.sender,
    outcomes,
    reconciliation,
  });
  const monitor = new StoreMonitor({ database, redis, due, metrics: options.metrics, nowMs });
  const tasks = [
    { name: "redis ownership", everyMs: pace.passEveryMs, run: () => ownRedis.check() },
    { name: "store availability", everyMs: STORE_METRICS_EVERY_MS, run: () => monitor.checkAvailability() },
    { name: "database metrics", everyMs: STORE_METRICS_EVERY_MS, run: () => monitor.measurePostgres() },
    ...passes.map((pass) => ({ ...pass, run: ownRedis.guard(pass.run) })),
  ].map((task) => new RepeatingTask({ ...task, logger }));
  for (const task of tasks) task.start();

  const readiness: ReadinessChecks = {
    redis: () => redis.ping(),
    postgres: stores.askPostgres,
    installation: () => claim.verify(),
  };
  const reporter = new ProcessReporter(redis, {
    service: "billing",
    instance: options.settings.instanceName,
    state: async () => ({
      failing: await failingChecks(readiness),
      reconciliation: reconciliation.report(),
    }),
    checkOwner: () => claim.check(),
    nowMs,
  });
  reporter.start();

  return {
    readiness,
    async expectUsableRedis() {
      await claim.check().catch((error: unknown) => {
        if (error instanceof RedisUnusable) throw error;
      });
    },
    async stop() {
      const ended = new AbortController();
      void cancelAfterDraining(stores, logger, ended.signal);
      try {
        await Promise.all([
          jobs.worker.close(DRAIN_MS),
          webhooks.worker.close(DRAIN_MS),
          reporter.stop(),
          ...tasks.map((task) => task.stop()),
        ]);
      } finally {
        ended.abort();
      }
      await Promise.all([jobs.producer.close(), webhooks.producer.close()]);
      await stores.close();
    },
  };
}

type Parts = ReturnType<typeof createParts>;

/** What most parts of the service use. */
function createParts({ settings, secrets, logger, metrics, pace }: BillingServiceOptions) {
  const stores = openStores(secrets, { name: settings.instanceName, logger, metrics });
  const { database, redis, claim } = stores;
  return {
    settings,
    redisUrl: secrets.redisUrl,
    stores,
    database,
    redis,
    claim,
    money: createMoneyCommands(redis),
    due: new DueIndex(redis),
    partitions: new DayPartitions(database),
    measures: createBillingMeasures(metrics),
    logger,
    nowMs: Date.now,
    pace: { ...DEFAULT_PACE, ...pace },
  };
}

function createSweeper(
  parts: Parts,
  producer: BillingProducer,
  silence: QueueSilence,
  writer: ImpressionWriter,
): Sweeper {
  const { claim, pace } = parts;
  const keepDamaged = damagedRecordKeeper(parts);
  return new Sweeper({
    ...parts,
    producer,
    isQueueSilent: (depth) => silence.isSilent(depth),
    // Checked after the records were read: a reconnect in between may lead to another Redis.
    write: async (records) => {
      await claim.check();
      await silence.watch(writer.write(records));
    },
    quarantine: async (walletId, damaged) => {
      await claim.check();
      await keepDamaged(walletId, damaged);
    },
    overdueAfterMs: pace.overdueAfterMs,
  });
}

function createReconciler(parts: Parts): Reconciler {
  const { redis, pace } = parts;
  return new Reconciler({
    ...parts,
    wallets: createWalletReader(redis),
    limits: RECONCILIATION_LIMITS,
    timeoutMs: RECONCILIATION_TIMEOUT_MS,
    pauseMs: pace.reconcilePauseMs,
    restFactor: pace.reconcileRestFactor,
    againAfterMs: pace.reconcileAgainAfterMs,
  });
}

/** Statements of tasks may take minutes, and each task is repeatable. One may begin another statement after a cancelled one. */
async function cancelAfterDraining(
  stores: Pick<Stores, "cancelStatements">,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  let pauseMs = DRAIN_MS;
  while (await sleep(pauseMs, true, { signal }).catch(() => false)) {
    await stores
      .cancelStatements()
      .catch((err: unknown) => logger.debug({ err }, "statements not cancelled"));
    pauseMs = CANCEL_EVERY_MS;
  }
}
