import { randomUUID } from "node:crypto";
import {
  createDatabase,
  createPipeline,
  type Database,
  installationId,
  type Pipeline,
  requireWritable,
} from "@diegetic/database";
import { connectRedis, InstallationClaim, type RedisConnection } from "@diegetic/hot-state";
import { createConnectionLogs, type Logger, type Metrics } from "@diegetic/service-kit";
import { MAX_CONCURRENT_VISITS } from "./backstop-walk.ts";
import { DROP_TIMEOUT_MS } from "./retention/drop-day.ts";
import type { BillingSecrets } from "./settings.ts";
import { MAX_CONCURRENT_SWEEPS } from "./sweep/sweeper.ts";
import { WRITER_PARTITIONS } from "./write/writer-partitions.ts";

/** For the loops, which visit several advertisers concurrently. */
const POOL_SIZE = 16;
/** One connection for each concurrently swept advertiser, so that a locked row blocks only its own advertiser. */
const SPARE_POOL_SIZE = MAX_CONCURRENT_SWEEPS + MAX_CONCURRENT_VISITS;

/** The connections of one billing process besides those of its queues; those to Postgres are opened on demand. */
export interface Stores {
  database: Database;
  pipeline: Pipeline;
  /** So that whatever blocks the worker does not block the sweeper. */
  sparePipeline: Pipeline;
  /** One connection, for statements that may take DROP_TIMEOUT_MS. */
  slowDatabase: Database;
  redis: RedisConnection;
  claim: InstallationClaim;
  /** The log of failures of one of the process' connections to Redis. */
  outageOf: ReturnType<typeof createConnectionLogs>;
  /** Rejects when Postgres is unavailable or takes no writes. */
  askPostgres(): Promise<unknown>;
  /** Cancels the running statements of this process, except those that write impressions. */
  cancelStatements(): Promise<void>;
  close(): Promise<void>;
}

export function openStores(
  { databaseUrl, redisUrl }: BillingSecrets,
  { name, logger, metrics }: { name: string; logger: Logger; metrics: Metrics },
): Stores {
  // Other processes may have the same instance name. Postgres keeps 63 characters.
  const ownName = `${name.slice(0, 40)}-${randomUUID().slice(0, 8)}`;
  const database = createDatabase(databaseUrl, { applicationName: ownName, poolSize: POOL_SIZE });
  const pipeline = createPipeline(databaseUrl, { applicationName: name, poolSize: WRITER_PARTITIONS });
  const sparePipeline = createPipeline(databaseUrl, {
    applicationName: `${name}-sweeper`,
    poolSize: SPARE_POOL_SIZE,
  });
  const slowName = `${ownName}-retention`;
  const slowDatabase = createDatabase(databaseUrl, {
    applicationName: slowName,
    poolSize: 1,
    statementTimeoutMs: DROP_TIMEOUT_MS,
  });
  const askPostgres = () => requireWritable(database);
  const outageOf = createConnectionLogs(logger, metrics, { postgres: askPostgres });
  const redis = connectRedis(redisUrl, { name });
  const commands = outageOf("commands");
  redis.on("error", commands.failed).on("ready", commands.succeeded);
  return {
    database,
    pipeline,
    sparePipeline,
    slowDatabase,
    redis,
    claim: new InstallationClaim(redis, () => installationId(database)),
    outageOf,
    askPostgres,
    async cancelStatements() {
      await database.$queryRaw`
        SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity
        WHERE application_name IN (${ownName}, ${slowName}) AND datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()`;
    },
    async close() {
      redis.disconnect();
      await Promise.all([
        pipeline.close(),
        sparePipeline.close(),
        slowDatabase.$disconnect(),
        database.$disconnect(),
      ]);
    },
  };
}
