import type { BillingJob } from "@diegetic/contracts";
import {
  createDatabase,
  createPipeline,
  type Database,
  databaseNowMs,
  installationId,
} from "@diegetic/database";
import {
  connectRedis,
  createBillingProducer,
  createBillingWorker,
  createGameSessions,
  createMoneyCommands,
  createWalletReader,
  createWebhookProducer,
  createWebhookWorker,
  DueIndex,
  ForeignRedis,
  InstallationClaim,
  ProcessReporter,
  type RedisConnection,
  type WalletLimits,
} from "@diegetic/hot-state";
import {
  createConnectionLogs,
  failingChecks,
  type Logger,
  type Metrics,
  OutageLog,
  type ReadinessChecks,
} from "@diegetic/service-kit";
import { WALKED_AT_A_TIME, walkAllAdvertisers } from "./backstop-walk.ts";
import { OwnRedis } from "./loops/own-redis.ts";
import { RepeatingTask } from "./loops/repeating-task.ts";
import { UnavailablePause } from "./loops/unavailable-pause.ts";
import { type BillingMeasures, createBillingMeasures } from "./measures.ts";
import { Reconciler } from "./reconciliation/reconciler.ts";
import { Releaser } from "./release/releaser.ts";
import { DROP_TIMEOUT_MS } from "./retention/drop-day.ts";
import { Retention } from "./retention/retention.ts";
import type { BillingSecrets, BillingSettings } from "./settings.ts";
import { Settler } from "./settle/settler.ts";
import { StoreMonitor } from "./store-monitor.ts";
import { damagedRecordKeeper } from "./sweep/damaged-records.ts";
import { QueueSilence } from "./sweep/queue-silence.ts";
import { SWEPT_AT_A_TIME, Sweeper } from "./sweep/sweeper.ts";
import { HoldOutcomes } from "./webhooks/hold-outcomes.ts";
import { announcePayouts } from "./webhooks/payouts.ts";
import { forgetOldDeliveries } from "./webhooks/retention.ts";
import { WebhookSender } from "./webhooks/webhook-sender.ts";
import { ImpressionWriter, type PreparedRecords } from "./write/impression-writer.ts";
import { type BatchSteps, JoinedJobs } from "./write/joined-jobs.ts";
import { Partitions } from "./write/partitions.ts";
import { forgetOldSettlements } from "./write/settlements.ts";
import { WriterPartitions } from "./write/writer-partitions.ts";

/** Pauses of the loops, and the age at which a record counts as lost. Milliseconds. */
export interface BillingPace {
  passEveryMs: number;
  walkEveryMs: number;
  reconcileEveryMs: number;
  /** Minimum pause between two inspections of a reconciliation. */
  reconcilePauseMs: number;
  /** Pause after an inspection, as a multiple of its duration. */
  reconcileRestFactor: number;
  /** Pauses before each repeated read of what differs. */
  reconcileAgainAfterMs: readonly number[];
  /** Pause between two looks for impressions that are too old. */
  retainEveryMs: number;
  overdueAfterMs: number;
  /** How long a worker may be silent before its job goes to another worker. */
  jobLockMs: number;
  /** When a queued delivery to a webhook without an attempt counts as lost. */
  webhookLostAfterMs: number;
  /** Pause between two looks at expiry rates, and at complete payouts. */
  webhookEventsEveryMs: number;
}

const PACE: BillingPace = {
  passEveryMs: 250,
  walkEveryMs: 60_000,
  reconcileEveryMs: 30_000,
  reconcilePauseMs: 200,
  reconcileRestFactor: 9,
  reconcileAgainAfterMs: [1_000, 2_000, 4_000, 8_000],
  retainEveryMs: 600_000,
  overdueAfterMs: 5_000,
  jobLockMs: 5_000,
  webhookLostAfterMs: 60_000,
  webhookEventsEveryMs: 10_000,
};
/** For the loops, which visit several advertisers concurrently. */
const POOL_SIZE = 16;
/** Larger batches lock their advertisers' rows for longer: two concurrent batches of this size take 250 ms or more. */
const RECORDS_PER_BATCH = 8_000;
/** Batches written concurrently, for different advertisers. */
const WRITER_PARTITIONS = 2;
/** One connection for each concurrently swept advertiser, so that a locked row blocks only its own advertiser. */
const SPARE_POOL_SIZE = SWEPT_AT_A_TIME + WALKED_AT_A_TIME;
/** The queue counts as silent when it delivers nothing for this many multiples of `overdueAfterMs`. */
const SILENT_AFTER = 3;
/** 10 000 holds block Redis for about 5 ms. */
const RECONCILIATION_LIMITS: WalletLimits = { holds: 10_000, records: 1_000, lateMs: 60_000 };
const RECONCILIATION_TIMEOUT_MS = 15_000;
const STORE_METRICS_EVERY_MS = 10_000;
/** The process ends 10 s after a signal; an unfinished job is delivered again. */
const DRAIN_MS = 7_000;
const WEBHOOK_CONCURRENCY = 32;

export interface BillingServiceOptions {
  settings: BillingSettings;
  secrets: BillingSecrets;
  logger: Logger;
  metrics: Metrics;
  /** Unix milliseconds; default: the system clock. */
  nowMs?: () => number;
  pace?: Partial<BillingPace>;
}

export interface BillingService {
  readiness: ReadinessChecks;
  /** Throws ForeignRedis when Redis belongs to another installation. Resolves when a store is unavailable: the loops retry. */
  expectOwnRedis(): Promise<void>;
  /** Finishes running work, then closes the connections. */
  stop(): Promise<void>;
}

/**
 * Writes committed impressions to Postgres, queues lost records again, and releases lapsed holds. Starts immediately
 * and resumes after Postgres or Redis recovers. Does nothing while Redis belongs to another installation. Any number of
 * instances may run concurrently.
 */
export function createBillingService(options: BillingServiceOptions): BillingService {
  const { settings, secrets, logger, metrics } = options;
  const pace = { ...PACE, ...options.pace };
  const nowMs = options.nowMs ?? Date.now;
  const name = settings.instanceName;
  const database = createDatabase(secrets.databaseUrl, {
    applicationName: name,
    poolSize: POOL_SIZE,
  });
  const postgres = () => database.$queryRaw`SELECT 1`;
  const outageOf = createConnectionLogs(logger, metrics, { postgres });
  const pipeline = createPipeline(secrets.databaseUrl, {
    applicationName: name,
    poolSize: WRITER_PARTITIONS,
  });
  const redis = connectRedis(secrets.redisUrl, { name });
  const commands = outageOf("commands");
  redis.on("error", commands.failed).on("ready", commands.succeeded);
  const queue = outageOf("producer");
  const producer = createBillingProducer(secrets.redisUrl, {
    name: `${name}-producer`,
    onError: queue.failed,
    onSuccess: queue.succeeded,
  });
  const claim = new InstallationClaim(redis, () => installationId(database));
  const money = createMoneyCommands(redis);
  const due = new DueIndex(redis, { now: nowMs });
  const measures = createBillingMeasures(metrics);
  const partitions = new Partitions(database, nowMs);
  const writing = { database, money, claim, partitions, measures, logger, nowMs };
  const writer = new ImpressionWriter({ ...writing, pipeline });
  // Separate connections, opened on demand: whatever blocks the worker does not block the sweeper.
  const spare = createPipeline(secrets.databaseUrl, {
    applicationName: `${name}-sweeper`,
    poolSize: SPARE_POOL_SIZE,
  });
  const spareWriter = new ImpressionWriter({ ...writing, pipeline: spare });
  const keepDamaged = damagedRecordKeeper({ database, money, measures, logger });
  const { overdueAfterMs } = pace;
  const silence = new QueueSilence(SILENT_AFTER * overdueAfterMs, () => performance.now());
  const outcomes = new HoldOutcomes(database);
  const sweeper = new Sweeper({
    money,
    due,
    producer,
    isQueueSilent: () => silence.isSilent(),
    // Checked after the records were read: a reconnect in between may lead to another Redis.
    write: async (records) => {
      await claim.check();
      await silence.watch(spareWriter.write(records));
      outcomes.countCharged(records);
    },
    quarantine: async (advertiserId, damaged) => {
      await claim.check();
      await keepDamaged(advertiserId, damaged);
    },
    measures,
    nowMs,
    overdueAfterMs,
  });
  const settler = new Settler({ database, money, measures });
  const releaser = new Releaser({
    money,
    sessions: createGameSessions(redis),
    due,
    onLapsed: (accountId) => outcomes.countLapsed(accountId),
    measures,
    logger,
    nowMs,
  });

  const pause = new UnavailablePause();
  const steps: BatchSteps<PreparedRecords> = {
    prepare: async (records, isAhead) => {
      await claim.check();
      return writer.prepare(records, isAhead);
    },
    write: (batch) => pause.after(writer.post(batch)),
    finish: (batch) => writer.acknowledge(batch),
  };
  const jobs = new WriterPartitions(
    Array.from({ length: WRITER_PARTITIONS }, () => new JoinedJobs(steps, RECORDS_PER_BATCH)),
  );
  const { failed, written } = jobsLog(measures, logger);
  const handle = async ({ records }: BillingJob) => {
    silence.end();
    await silence.watch(jobs.add(records));
    outcomes.countCharged(records);
    written();
  };
  const taking = outageOf("worker");
  const worker = createBillingWorker(secrets.redisUrl, handle, {
    name: `${name}-worker`,
    concurrency: settings.billingConcurrency,
    lockMs: pace.jobLockMs,
    stalledCheckMs: Math.ceil(pace.jobLockMs / 6),
    startsPaused: true,
    onError: taking.failed,
    onSuccess: taking.succeeded,
    onFailed: failed,
  });
  const webhooks = createWebhooks(options, { database, measures, nowMs, pace, outageOf });
  const ownRedis = new OwnRedis({ claim, workers: [worker, webhooks.worker], logger });
  const reconciliation = createReconciliation({ database, redis, measures, logger, nowMs }, pace);
  const walk = async (signal: AbortSignal) => {
    await forgetOldSettlements(database, await databaseNowMs(database));
    await walkAllAdvertisers({ database, sweeper, releaser, partitions, nowMs }, signal);
  };
  const slow = createDatabase(secrets.databaseUrl, {
    applicationName: `${name}-retention`,
    poolSize: 1,
    statementTimeoutMs: DROP_TIMEOUT_MS,
  });
  const { impressionRetentionDays: retentionDays } = settings;
  const retention =
    retentionDays === undefined
      ? undefined
      : new Retention({
          database: slow,
          money,
          measures,
          logger,
          nowMs: () => databaseNowMs(slow),
          retentionDays,
        });
  const passes = [
    { name: "sweep", everyMs: pace.passEveryMs, run: (signal: AbortSignal) => sweeper.pass(signal) },
    { name: "settle", everyMs: pace.passEveryMs, run: (signal: AbortSignal) => settler.pass(signal) },
    { name: "release", everyMs: pace.passEveryMs, run: (signal: AbortSignal) => releaser.pass(signal) },
    {
      name: "webhooks",
      everyMs: pace.passEveryMs,
      run: (signal: AbortSignal) => webhooks.sender.pass(signal),
    },
    {
      name: "webhook events",
      everyMs: pace.webhookEventsEveryMs,
      run: async (signal: AbortSignal) => {
        const now = await databaseNowMs(database);
        await outcomes.pass(now);
        await announcePayouts({ database, money, nowMs: now, signal });
      },
    },
    {
      name: "webhook retention",
      everyMs: pace.walkEveryMs,
      run: async (signal: AbortSignal) =>
        forgetOldDeliveries(database, {
          keptDays: settings.webhookRetentionDays,
          nowMs: await databaseNowMs(database),
          signal,
        }),
    },
    { name: "backstop walk", everyMs: pace.walkEveryMs, run: walk },
    ...(retention === undefined
      ? []
      : [
          {
            name: "retention",
            everyMs: pace.retainEveryMs,
            run: (signal: AbortSignal) => retention.pass(signal),
          },
        ]),
    {
      name: "reconciliation",
      everyMs: pace.reconcileEveryMs,
      run: async (signal: AbortSignal) => {
        await reconciliation.cycle(signal);
        measures.reconciliationCycles.inc();
      },
    },
  ].map((pass) => ({ ...pass, run: ownRedis.guard(pass.run) }));
  const ownership = { name: "redis ownership", everyMs: pace.passEveryMs, run: () => ownRedis.check() };
  const stores = new StoreMonitor({ database, redis, due, metrics, nowMs });
  const monitor = { name: "store metrics", everyMs: STORE_METRICS_EVERY_MS, run: () => stores.look() };
  const tasks = [ownership, monitor, ...passes].map((task) => new RepeatingTask({ ...task, logger }));
  for (const task of tasks) task.start();
  const readiness: ReadinessChecks = {
    redis: () => redis.ping(),
    postgres,
    installation: () => claim.look(),
  };
  const reporter = new ProcessReporter(redis, {
    service: "billing",
    instance: name,
    state: async () => {
      // Another installation's Redis is left as it is.
      await claim.check();
      return { failing: await failingChecks(readiness), reconciliation: reconciliation.report() };
    },
    nowMs,
  });
  reporter.start();

  return {
    readiness,
    async expectOwnRedis() {
      await claim.check().catch((error: unknown) => {
        if (error instanceof ForeignRedis) throw error;
      });
    },
    async stop() {
      await Promise.all([
        worker.close(DRAIN_MS),
        webhooks.worker.close(DRAIN_MS),
        reporter.stop(),
        ...tasks.map((task) => task.stop()),
      ]);
      await Promise.all([producer.close(), webhooks.producer.close()]);
      redis.disconnect();
      await Promise.all([pipeline.close(), spare.close(), slow.$disconnect(), database.$disconnect()]);
    },
  };
}

/** The queue of deliveries to webhooks: its own, so that slow receivers do not delay billing. */
function createWebhooks(
  { settings, secrets, logger }: BillingServiceOptions,
  parts: {
    database: Database;
    measures: BillingMeasures;
    nowMs: () => number;
    pace: BillingPace;
    outageOf: ReturnType<typeof createConnectionLogs>;
  },
) {
  const { pace, outageOf } = parts;
  const name = `${settings.instanceName}-webhooks`;
  const queueing = outageOf("webhook producer");
  const producer = createWebhookProducer(secrets.redisUrl, {
    name: `${name}-producer`,
    onError: queueing.failed,
    onSuccess: queueing.succeeded,
  });
  const timeoutMs = settings.webhookTimeoutSeconds * 1_000;
  const sender = new WebhookSender({
    ...parts,
    producer,
    options: {
      addresses: settings.webhookAddresses,
      timeoutMs,
      retryBaseMs: settings.webhookRetryMs,
      lostAfterMs: pace.webhookLostAfterMs,
    },
  });
  const taking = outageOf("webhook worker");
  const worker = createWebhookWorker(secrets.redisUrl, (job) => sender.handle(job), {
    name: `${name}-worker`,
    concurrency: WEBHOOK_CONCURRENCY,
    lockMs: pace.jobLockMs,
    onError: taking.failed,
    onSuccess: taking.succeeded,
    onFailed: (error) => logger.warn({ err: error }, "webhook delivery failed; it is tried again"),
  });
  return { sender, producer, worker };
}

function createReconciliation(
  parts: {
    database: Database;
    redis: RedisConnection;
    measures: BillingMeasures;
    logger: Logger;
    nowMs: () => number;
  },
  pace: BillingPace,
): Reconciler {
  return new Reconciler({
    ...parts,
    wallets: createWalletReader(parts.redis),
    limits: RECONCILIATION_LIMITS,
    timeoutMs: RECONCILIATION_TIMEOUT_MS,
    pauseMs: pace.reconcilePauseMs,
    restFactor: pace.reconcileRestFactor,
    againAfterMs: pace.reconcileAgainAfterMs,
  });
}

/** Logs failed jobs, separately those that are not retried, and recovery. */
function jobsLog(measures: BillingMeasures, logger: Logger) {
  const logOf = (final: boolean) =>
    new OutageLog(logger.child({ final }), {
      failing: "writing impressions failed; the outbox still has them",
      recovered: "impression writing recovered",
      level: final ? "warn" : "info",
    });
  const [retried, final] = [logOf(false), logOf(true)];
  return {
    failed: (error: Error, job: { records: unknown[] } | undefined, isFinal: boolean) => {
      measures.failedJobs.inc({ final: String(isFinal) });
      (isFinal ? final : retried).failed(error, { records: job?.records.length });
    },
    written: () => {
      retried.succeeded();
      final.succeeded();
    },
  };
}
