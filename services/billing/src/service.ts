import { createDatabase } from "@diegetic/database";
import {
  connectRedis,
  createBillingProducer,
  createBillingWorker,
  createGameSessions,
  createMoneyCommands,
  DueIndex,
} from "@diegetic/hot-state";
import type { Logger, Metrics, ReadinessChecks } from "@diegetic/service-kit";
import { walkAllAdvertisers } from "./loops/backstop-walk.ts";
import { RepeatingTask } from "./loops/repeating-task.ts";
import { type BillingMeasures, createBillingMeasures } from "./measures.ts";
import { Releaser } from "./release/releaser.ts";
import type { BillingSecrets, BillingSettings } from "./settings.ts";
import { Settler } from "./settle/settler.ts";
import { Sweeper } from "./sweep/sweeper.ts";
import { ImpressionWriter } from "./write/impression-writer.ts";
import { Partitions } from "./write/partitions.ts";

/** Pauses of the loops and the age at which a record counts as lost. Milliseconds. */
export interface BillingPace {
  passEveryMs: number;
  walkEveryMs: number;
  overdueAfterMs: number;
  /** How long a worker may be silent before its job is given to another one. */
  jobLockMs: number;
}

const PACE: BillingPace = { passEveryMs: 250, walkEveryMs: 60_000, overdueAfterMs: 5_000, jobLockMs: 5_000 };
/** The process ends 10 s after a signal, whatever still runs: the job then comes again. */
const DRAIN_MS = 7_000;

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
  /** Ends what runs, then closes the connections. */
  stop(): Promise<void>;
}

/**
 * Writes committed impressions to Postgres, queues again what got lost, and gives back what lapsed. Starts at once, and
 * goes on by itself after Postgres or Redis were away. Any number of instances may run side by side.
 */
export function createBillingService(options: BillingServiceOptions): BillingService {
  const { settings, secrets, logger, metrics } = options;
  const pace = { ...PACE, ...options.pace };
  const nowMs = options.nowMs ?? Date.now;
  const name = settings.instanceName;
  const onError = (part: string) => (error: Error) => logger.warn({ err: error, part }, "Redis is away");

  const database = createDatabase(secrets.databaseUrl, {
    applicationName: name,
    poolSize: settings.billingConcurrency + 3,
  });
  const redis = connectRedis(secrets.redisUrl, { name });
  redis.on("error", onError("commands"));
  const producer = createBillingProducer(secrets.redisUrl, {
    name: `${name}-producer`,
    onError: onError("producer"),
  });
  const money = createMoneyCommands(redis);
  const due = new DueIndex(redis, { now: nowMs });
  const measures = createBillingMeasures(metrics);
  const partitions = new Partitions(database);
  const writer = new ImpressionWriter({ database, money, partitions, measures, logger, nowMs });
  const sweeper = new Sweeper({ money, due, producer, measures, nowMs, overdueAfterMs: pace.overdueAfterMs });
  const settler = new Settler({ database, money, measures });
  const releaser = new Releaser({ money, sessions: createGameSessions(redis), due, measures, nowMs });

  const worker = createBillingWorker(secrets.redisUrl, ({ records }) => writer.write(records), {
    name: `${name}-worker`,
    concurrency: settings.billingConcurrency,
    lockMs: pace.jobLockMs,
    stalledCheckMs: Math.ceil(pace.jobLockMs / 6),
    onError: onError("worker"),
    onFailed: reportFailedJob(measures, logger),
  });
  const walk = (signal: AbortSignal) =>
    walkAllAdvertisers({ database, sweeper, releaser, partitions, nowMs }, signal);
  const tasks = [
    { name: "sweep", everyMs: pace.passEveryMs, run: (signal: AbortSignal) => sweeper.pass(signal) },
    { name: "settle", everyMs: pace.passEveryMs, run: (signal: AbortSignal) => settler.pass(signal) },
    { name: "release", everyMs: pace.passEveryMs, run: (signal: AbortSignal) => releaser.pass(signal) },
    { name: "backstop walk", everyMs: pace.walkEveryMs, run: walk },
  ].map((task) => new RepeatingTask({ ...task, logger }));
  for (const task of tasks) task.start();

  return {
    readiness: { redis: () => redis.ping(), postgres: () => database.$queryRaw`SELECT 1` },
    async stop() {
      await Promise.all([worker.close(DRAIN_MS), ...tasks.map((task) => task.stop())]);
      await producer.close();
      redis.disconnect();
      await database.$disconnect();
    },
  };
}

function reportFailedJob(measures: BillingMeasures, logger: Logger) {
  return (error: Error, job: { records: unknown[] } | undefined, final: boolean) => {
    measures.failedJobs.inc({ final: String(final) });
    const level = final ? "warn" : "info";
    const records = job?.records.length;
    logger[level]({ err: error, records, final }, "writing impressions failed; the outbox still has them");
  };
}
