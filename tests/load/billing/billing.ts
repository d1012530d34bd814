import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createDatabase, migrate } from "@diegetic/database";
import {
  connectRedis,
  createBillingProducer,
  createMoneyCommands,
  MAX_RECORDS_PER_JOB,
} from "@diegetic/hot-state";
import { startPostgres, startRedis } from "@diegetic/local-stores";
import { interleave } from "../frame/rounds.ts";
import { metric, ratios } from "../frame/statistics.ts";
import type { Metric, Run, Suite } from "../frame/suite.ts";
import { cpuSeconds, cpuSecondsOfTree, residentBytes, start } from "../serving/processes.ts";
import { BareTable } from "./baseline.ts";
import { fillOutboxes, Market } from "./market.ts";

/** Writing impressions: the billing service compared with bare inserts into the same Postgres. */
export const billing: Suite = { names: ["billing"], run: measure };

const BILLING = fileURLToPath(new URL("../../../services/billing/bundle/main.js", import.meta.url));
/** Rows per bare insert: twice as many are not faster. */
const BATCH = 4_000;
/** A match instance gathers this many in 25 ms at 2 000 impressions per second. */
const RECORDS_PER_USUAL_JOB = 50;
const MEGABYTE = 1_000_000;
const POLL_MS = 20;
const DRAINED_WITHIN_MS = 120_000;

async function measure(run: Run): Promise<Metric[]> {
  const records = run.quick ? 12_000 : 40_000;
  const postgres = await startPostgres({ dir: `${run.directory}/postgres` });
  run.defer(() => postgres.stop());
  const redisServer = await startRedis({ dir: `${run.directory}/redis` });
  run.defer(() => redisServer.stop());
  await migrate(postgres.url);
  const database = createDatabase(postgres.url);
  run.defer(() => database.$disconnect());
  const redis = connectRedis(redisServer.url, { name: "bench" });
  run.defer(() => redis.disconnect());
  const producer = createBillingProducer(redisServer.url);
  run.defer(() => producer.close());
  const bare = await BareTable.make(postgres.url);
  run.defer(() => bare.close());
  const market = new Market();
  await market.writeTo(database);
  await market.openWallets(createMoneyCommands(redis));
  const service = await start(BILLING, [], {
    DATABASE_URL: postgres.url,
    REDIS_URL: redisServer.url,
    INSTANCE_NAME: "billing-bench",
    LOG_LEVEL: "error",
  });
  run.defer(() => service.stop());

  const processorMicroseconds: Record<"billing" | "redis" | "postgres" | "barePostgres", number[]> = {
    billing: [],
    redis: [],
    postgres: [],
    barePostgres: [],
  };
  /** Processor time of each since the last call. */
  const charge = (
    to: keyof typeof processorMicroseconds,
    startedCpuSeconds: number,
    endedCpuSeconds: number,
  ) => processorMicroseconds[to].push(((endedCpuSeconds - startedCpuSeconds) * 1_000_000) / records);
  const residentMegabytes: number[] = [];
  const workOff = async (recordsPerJob: number) => {
    const impressions = market.impressions(records);
    await fillOutboxes(redis, impressions);
    process.kill(service.pid, "SIGSTOP");
    for (let begin = 0; begin < records; begin += recordsPerJob) {
      await producer.add(impressions.slice(begin, begin + recordsPerJob));
    }
    const startedMs = performance.now();
    const cpus = [
      cpuSeconds(service.pid),
      cpuSeconds(redisServer.pid),
      cpuSecondsOfTree(postgres.pid),
    ] as const;
    process.kill(service.pid, "SIGCONT");
    await until(async () => (await producer.depth()) === 0);
    const seconds = (performance.now() - startedMs) / 1_000;
    residentMegabytes.push(residentBytes(service.pid) / MEGABYTE);
    if (recordsPerJob < MAX_RECORDS_PER_JOB) return seconds;
    charge("billing", cpus[0], cpuSeconds(service.pid));
    charge("redis", cpus[1], cpuSeconds(redisServer.pid));
    charge("postgres", cpus[2], cpuSecondsOfTree(postgres.pid));
    return seconds;
  };
  const drain = () => workOff(MAX_RECORDS_PER_JOB);
  const drainUsual = () => workOff(RECORDS_PER_USUAL_JOB);
  const insert = async () => {
    const impressions = market.impressions(records);
    const startedCpuSeconds = cpuSecondsOfTree(postgres.pid);
    const seconds = await bare.insert(impressions, BATCH);
    charge("barePostgres", startedCpuSeconds, cpuSecondsOfTree(postgres.pid));
    return seconds;
  };
  await drain();
  await insert();
  for (const samples of [residentMegabytes, ...Object.values(processorMicroseconds)]) samples.length = 0;
  run.say("billing is warm");
  const seconds = await interleave({ drain, insert, drainUsual }, run.rounds);
  const [written] = await database.$queryRaw<{ count: bigint }[]>`SELECT count(*) FROM impressions`;
  if (Number(written?.count) !== records * (2 * run.rounds + 1)) {
    throw new Error(`${written?.count} impressions were written`);
  }
  const perSecond = (samples: number[]) => samples.map((sample) => records / sample);
  return [
    metric(
      { id: "billing_insert_per_second", label: "bare INSERT … SELECT FROM unnest", unit: "1/s" },
      perSecond(seconds.insert),
    ),
    metric(
      {
        id: "billing_drain_per_second",
        label: `billing drain, jobs of ${MAX_RECORDS_PER_JOB}`,
        unit: "1/s",
      },
      perSecond(seconds.drain),
    ),
    metric(
      {
        id: "billing_drain_usual_jobs_per_second",
        label: `billing drain, jobs of ${RECORDS_PER_USUAL_JOB}`,
        unit: "1/s",
      },
      perSecond(seconds.drainUsual),
    ),
    metric(
      { id: "billing_resident_mb", label: "billing process behind a drain, resident", unit: "MB" },
      residentMegabytes,
    ),
    metric(
      { id: "billing_processor_us", label: "processor time of the billing process, each", unit: "µs" },
      processorMicroseconds.billing,
    ),
    metric(
      { id: "billing_redis_processor_us", label: "processor time of Redis in the drain, each", unit: "µs" },
      processorMicroseconds.redis,
    ),
    metric(
      {
        id: "billing_postgres_processor_us",
        label: "processor time of Postgres in the drain, each",
        unit: "µs",
      },
      processorMicroseconds.postgres,
    ),
    metric(
      {
        id: "billing_insert_postgres_processor_us",
        label: "processor time of Postgres for a bare insert",
        unit: "µs",
      },
      processorMicroseconds.barePostgres,
    ),
    metric(
      {
        id: "billing_drain_to_insert",
        label: `billing drain, jobs of ${MAX_RECORDS_PER_JOB} / bare inserts`,
        unit: "×",
        goal: { atLeast: 0.5, aim: 0.75 },
        note: `${records} impressions a round`,
      },
      ratios(perSecond(seconds.drain), perSecond(seconds.insert)),
    ),
  ];
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DRAINED_WITHIN_MS;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error("the queue was not worked off in time");
    await sleep(POLL_MS);
  }
}
