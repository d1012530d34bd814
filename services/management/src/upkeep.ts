import { type Database, databaseNowMs } from "@diegetic/database";
import type { InstallationClaim, RedisConnection, SnapshotPublisher } from "@diegetic/hot-state";
import { type Logger, RepeatingTask } from "@diegetic/service-kit";
import { forgetOldAnswers } from "./core/idempotency/create-once.ts";
import { deleteOldRows, type OldRows } from "./core/publishing/old-rows.ts";
import { recordUsageOfMatchTier } from "./features/api-keys/record-usage.ts";
import { deleteKeys, findOldKeys, revokeExpiredKeys } from "./features/api-keys/store.ts";
import { forgetUnseenCreatives } from "./features/creatives/store.ts";
import { forgetOldInvitations } from "./features/sessions/members.ts";
import { deleteSessions, endExpiredSessions, findOldSessions } from "./features/sessions/store.ts";
import { announceEndedCampaigns } from "./features/webhooks/ended-campaigns.ts";

const EVERY_MS = 1_000;
/** Rows to delete are days old. */
const DELETION_EVERY_MS = 10_000;

export interface UpkeepParts {
  database: Database;
  redis: RedisConnection;
  claim: Pick<InstallationClaim, "check">;
  snapshot: Pick<SnapshotPublisher, "forget">;
  logger: Logger;
  /** Pause between two deletions of old rows. Default: 10 s. */
  deletionEveryMs?: number | undefined;
}

/**
 * Maintenance without exact timing: one task per job, so that a slow or failing one delays no other. Every run is limited;
 * any number of instances may run it concurrently.
 */
export function createUpkeep(parts: UpkeepParts): RepeatingTask[] {
  const { database, redis, claim, logger, deletionEveryMs = DELETION_EVERY_MS } = parts;
  const runByDatabaseClock = (run: (database: Database, nowMs: number) => Promise<void>) => async () =>
    run(database, await databaseNowMs(database));
  const deleteOld = (rows: OldRows) => async () => {
    await claim.check();
    await deleteOldRows(parts, rows);
  };
  const recordUsage = async () => {
    await claim.check();
    await recordUsageOfMatchTier(database, redis);
  };
  const often = [
    { name: "expired sessions", run: runByDatabaseClock(endExpiredSessions) },
    { name: "expired keys", run: runByDatabaseClock(revokeExpiredKeys) },
    { name: "ended campaigns", run: runByDatabaseClock(announceEndedCampaigns) },
    { name: "key usage", run: recordUsage },
  ];
  const deletions = [
    { name: "old answers", run: () => forgetOldAnswers(database) },
    { name: "old sessions", run: deleteOld({ find: findOldSessions, delete: deleteSessions }) },
    { name: "old keys", run: deleteOld({ find: findOldKeys, delete: deleteKeys }) },
    { name: "old invitations", run: runByDatabaseClock(forgetOldInvitations) },
    { name: "unseen creatives", run: runByDatabaseClock(forgetUnseenCreatives) },
  ];
  return [
    ...often.map((task) => new RepeatingTask({ ...task, everyMs: EVERY_MS, logger })),
    ...deletions.map((task) => new RepeatingTask({ ...task, everyMs: deletionEveryMs, logger })),
  ];
}
