import { type Database, databaseNowMs } from "@diegetic/database";
import type {
  InstallationClaim,
  RedisConnection,
  RemovedEntity,
  SnapshotPublisher,
} from "@diegetic/hot-state";
import { type Logger, RepeatingTask } from "@diegetic/service-kit";
import { forgetOldAnswers } from "./core/idempotency/create-once.ts";
import { recordUsageOfMatchTier } from "./features/api-keys/record-usage.ts";
import { forgetEndedKeys } from "./features/api-keys/store.ts";
import { forgetOldInvitations } from "./features/sessions/members.ts";
import { forgetEndedSessions } from "./features/sessions/store.ts";
import { announceEndedCampaigns } from "./features/webhooks/ended-campaigns.ts";

const EVERY_MS = 1_000;

export interface UpkeepParts {
  database: Database;
  redis: RedisConnection;
  claim: Pick<InstallationClaim, "check">;
  snapshot: Pick<SnapshotPublisher, "forget">;
  logger: Logger;
}

/**
 * Maintenance without exact timing: one task per job, so that a slow or failing one delays no other. Every run is limited;
 * any number of instances may run it concurrently.
 */
export function createUpkeep({ database, redis, claim, snapshot, logger }: UpkeepParts): RepeatingTask[] {
  const byDatabaseClock = (run: (database: Database, nowMs: number) => Promise<void>) => async () =>
    run(database, await databaseNowMs(database));
  const deleting = (run: (database: Database, nowMs: number) => Promise<RemovedEntity[]>) => async () => {
    // Without Redis, the rows are the only record of what it has to forget.
    await claim.check();
    await snapshot.forget(await run(database, await databaseNowMs(database)));
  };
  const recordUsage = async () => {
    await claim.check();
    await recordUsageOfMatchTier(database, redis);
  };
  return [
    { name: "old answers", run: () => forgetOldAnswers(database) },
    { name: "ended sessions", run: deleting(forgetEndedSessions) },
    { name: "ended keys", run: deleting(forgetEndedKeys) },
    { name: "old invitations", run: byDatabaseClock(forgetOldInvitations) },
    { name: "ended campaigns", run: byDatabaseClock(announceEndedCampaigns) },
    { name: "key usage", run: recordUsage },
  ].map((task) => new RepeatingTask({ ...task, everyMs: EVERY_MS, logger }));
}
