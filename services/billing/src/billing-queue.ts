import type { BillingJob } from "@diegetic/contracts";
import { createBillingProducer, createBillingWorker } from "@diegetic/hot-state";
import { type Logger, OutageLog } from "@diegetic/service-kit";
import { UnavailablePause } from "./loops/unavailable-pause.ts";
import type { BillingMeasures } from "./measures.ts";
import type { BillingPace } from "./pace.ts";
import type { BillingSettings } from "./settings.ts";
import type { Stores } from "./stores.ts";
import type { QueueSilence } from "./sweep/queue-silence.ts";
import { type ImpressionWriter, RECORDS_PER_BATCH } from "./write/impression-writer.ts";
import { type BatchSteps, JoinedJobs } from "./write/joined-jobs.ts";
import type { PreparedRecords } from "./write/prepared-records.ts";
import { WRITER_PARTITIONS, WriterPartitions } from "./write/writer-partitions.ts";

export interface BillingQueueParts {
  redisUrl: string;
  settings: BillingSettings;
  stores: Pick<Stores, "claim" | "outageOf">;
  writer: ImpressionWriter;
  silence: QueueSilence;
  measures: BillingMeasures;
  logger: Logger;
  pace: BillingPace;
}

/** Both ends of the queue of billing: the worker writes the records of its jobs to Postgres, in batches. It starts paused. */
export function createBillingQueue({
  redisUrl,
  settings,
  stores,
  silence,
  pace,
  ...parts
}: BillingQueueParts) {
  const { instanceName: name, billingConcurrency: concurrency } = settings;
  const sending = stores.outageOf("producer");
  const producer = createBillingProducer(redisUrl, {
    name: `${name}-producer`,
    claim: stores.claim,
    onError: sending.failed,
    onSuccess: sending.succeeded,
  });
  const partitions = createWriterPartitions(parts.writer, stores);
  const log = createJobsLog(parts);
  const handle = async ({ records }: BillingJob) => {
    silence.end();
    await silence.watch(partitions.add(records));
    log.written();
  };
  const taking = stores.outageOf("worker");
  const worker = createBillingWorker(redisUrl, handle, {
    name: `${name}-worker`,
    claim: stores.claim,
    concurrency,
    lockMs: pace.jobLockMs,
    stalledCheckMs: Math.ceil(pace.jobLockMs / 6),
    onError: taking.failed,
    onLockLost: (error) => parts.logger.warn({ err: error }, "job lock lost; the job may run twice"),
    onSuccess: taking.succeeded,
    onFailed: log.failed,
  });
  return { producer, worker };
}

function createWriterPartitions(
  writer: ImpressionWriter,
  { claim }: Pick<Stores, "claim">,
): WriterPartitions {
  const pause = new UnavailablePause();
  const steps: BatchSteps<PreparedRecords> = {
    prepare: async (records, isAhead) => {
      await claim.check();
      return writer.prepare(records, isAhead);
    },
    write: (batch) => pause.after(writer.writePrepared(batch)),
    finish: (batch) => writer.acknowledge(batch),
  };
  return new WriterPartitions(
    Array.from({ length: WRITER_PARTITIONS }, () => new JoinedJobs(steps, RECORDS_PER_BATCH)),
  );
}

/** Logs failed jobs, separately those that are not retried, and recovery. */
function createJobsLog({ measures, logger }: Pick<BillingQueueParts, "measures" | "logger">) {
  const logOf = (final: boolean) =>
    new OutageLog(logger.child({ final }), {
      failing: "writing impressions failed; the outbox still has them",
      recovered: "impression writing recovered",
      level: final ? "warn" : "info",
    });
  const [retried, final] = [logOf(false), logOf(true)];
  return {
    failed: (error: Error, job: BillingJob | undefined, isFinal: boolean) => {
      measures.failedJobs.inc({ final: String(isFinal) });
      (isFinal ? final : retried).failed(error, { records: job?.records.length });
    },
    written: () => {
      retried.succeeded();
      final.succeeded();
    },
  };
}
