import { type Database, databaseNowMs } from "@diegetic/database";
import type { RemovedEntity, SnapshotPublisher } from "@diegetic/hot-state";

/** A row that ended long ago, and the removed entity of the snapshot that it is known by. */
export interface OldRow extends RemovedEntity {
  id: string;
}

export interface OldRows {
  find: (database: Database, nowMs: number) => Promise<OldRow[]>;
  delete: (database: Database, ids: readonly string[]) => Promise<void>;
}

/**
 * Deletes old rows that the snapshot has forgotten. It forgets them first: while a row exists, whatever is left of it in
 * Redis is forgotten by a later call.
 */
export async function deleteOldRows(
  { database, snapshot }: { database: Database; snapshot: Pick<SnapshotPublisher, "forget"> },
  rows: OldRows,
): Promise<void> {
  const old = await rows.find(database, await databaseNowMs(database));
  if (old.length === 0) return;
  const forgotten = await snapshot.forget(old);
  const ids = old.filter(({ name }) => forgotten.has(name)).map(({ id }) => id);
  await rows.delete(database, ids);
}
