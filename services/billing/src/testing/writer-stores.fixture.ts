import type { ImpressionRecord } from "@diegetic/contracts";
import {
  createDatabase,
  createPipeline,
  type Database,
  installationId,
  type Pipeline,
} from "@diegetic/database";
import {
  createMoneyCommands,
  type DamagedEntry,
  InstallationClaim,
  type RedisConnection,
} from "@diegetic/hot-state";
import { createLogger, createMetrics } from "@diegetic/service-kit";
import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { createBillingMeasures } from "../measures.ts";
import { damagedRecordKeeper } from "../sweep/damaged-records.ts";
import { DayPartitions } from "../write/day-partitions.ts";
import { ImpressionWriter } from "../write/impression-writer.ts";

/** A database and a Redis of their own, and a writer that knows no wallet. */
export class WriterStores {
  readonly database: Database;
  readonly redisUrl: string;
  readonly #pipeline: Pipeline;
  readonly #redis: RedisConnection;
  readonly #servers: [TestDatabase, TestRedis];

  private constructor(servers: [TestDatabase, TestRedis]) {
    const [{ url: databaseUrl }, { url: redisUrl }] = servers;
    this.#servers = servers;
    this.redisUrl = redisUrl;
    this.#redis = connectTestRedis(redisUrl);
    this.database = createDatabase(databaseUrl);
    this.#pipeline = createPipeline(databaseUrl);
  }

  static async open(): Promise<WriterStores> {
    return new WriterStores(await Promise.all([createTestDatabase(), startTestRedis()]));
  }

  /** @param used in place of the database for what does not go through the pipeline */
  write(records: readonly ImpressionRecord[], used = this.database): Promise<void> {
    return new ImpressionWriter({
      ...this.#parts(used),
      pipeline: this.#pipeline,
      partitions: new DayPartitions(this.database),
      claim: new InstallationClaim(this.#redis, () => installationId(this.database)),
      nowMs: Date.now,
    }).write(records);
  }

  /** What the sweeper does with what is no record. */
  quarantineDamaged(advertiserId: string, damaged: readonly DamagedEntry[]): Promise<void> {
    return damagedRecordKeeper(this.#parts(this.database))(advertiserId, damaged);
  }

  #parts(database: Database) {
    return {
      database,
      money: createMoneyCommands(this.#redis),
      measures: createBillingMeasures(createMetrics({ service: "billing" })),
      logger: createLogger({ service: "billing", instance: "test", level: "silent" }),
      // Tests end locks themselves.
      maxLockWaitMs: 60_000,
    };
  }

  async close(): Promise<void> {
    await Promise.all([this.#pipeline.close(), this.database.$disconnect()]);
    this.#redis.disconnect();
    const [server, redisServer] = this.#servers;
    await Promise.all([server.drop(), redisServer.stop()]);
  }
}
