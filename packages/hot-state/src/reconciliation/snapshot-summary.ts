import { requireAtMost } from "../arguments.ts";
import type { RedisConnection } from "../connection.ts";
import { snapshotKeys } from "../keys.ts";

export interface SnapshotRow {
  /** The row's last published version; null: never published. */
  version: number | null;
  /** Whether the entity exists; a removed one only has a version. */
  exists: boolean;
}

const MAX_ROWS = 1_000;

/** Looks up rows of the snapshot by their entity names, in this order. */
export async function readSnapshotRows(
  redis: RedisConnection,
  names: readonly string[],
): Promise<SnapshotRow[]> {
  requireAtMost("names", names, MAX_ROWS);
  if (names.length === 0) return [];
  const [versions, lengths] = await Promise.all([
    redis.hmget(snapshotKeys.rowVersions, ...names),
    // Reads only the length, so that no entity is transferred.
    Promise.all(names.map((name) => redis.hstrlen(snapshotKeys.entities, name))),
  ]);
  return versions.map((version, i) => ({
    version: version === null ? null : Number(version),
    exists: (lengths[i] ?? 0) > 0,
  }));
}

export function countSnapshotEntities(redis: RedisConnection): Promise<number> {
  return redis.hlen(snapshotKeys.entities);
}
