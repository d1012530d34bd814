import { chunks } from "@diegetic/collections";
import type { ImpressionRecord } from "@diegetic/contracts";
import { createDatabase, createPipeline, installationId } from "@diegetic/database";
import { connectRedis, createMoneyCommands, InstallationClaim } from "@diegetic/hot-state";
import { createMetrics, type Logger } from "@diegetic/service-kit";
import { createBillingMeasures } from "../measures.ts";
import { DayPartitions } from "./day-partitions.ts";
import { ImpressionWriter, RECORDS_PER_BATCH } from "./impression-writer.ts";

const NAME = "record-writer";

/**
 * Writes impression records like the worker, without a queue: for a generated history, before its advertisers have
 * wallets. Idempotent. Rejects when a store is unavailable, with ForeignRedis when Redis belongs to another
 * installation, and when a record could not be written.
 */
export async function writeRecords(
  { databaseUrl, redisUrl, logger }: { databaseUrl: string; redisUrl: string; logger: Logger },
  records: readonly ImpressionRecord[],
): Promise<void> {
  const database = createDatabase(databaseUrl, { poolSize: 2, applicationName: NAME });
  const pipeline = createPipeline(databaseUrl, { poolSize: 1, applicationName: NAME });
  const redis = connectRedis(redisUrl, { name: NAME });
  try {
    const claim = new InstallationClaim(redis, () => installationId(database));
    await claim.check();
    const measures = createBillingMeasures(createMetrics({ service: "billing" }));
    const writer = new ImpressionWriter({
      database,
      pipeline,
      money: createMoneyCommands(redis),
      claim,
      partitions: new DayPartitions(database),
      measures,
      logger,
      nowMs: Date.now,
    });
    for (const batch of chunks(records, RECORDS_PER_BATCH)) await writer.write(batch);
    const advertiserIds = [...new Set(records.map(({ match }) => match.advertiser_id))];
    const refused = await database.quarantinedImpression.findFirst({
      where: { advertiserId: { in: advertiserIds }, resolvedAt: null },
    });
    if (refused !== null) throw new Error(`a record could not be written: ${refused.reason}`);
  } finally {
    redis.disconnect();
    await Promise.all([pipeline.close(), database.$disconnect()]);
  }
}
