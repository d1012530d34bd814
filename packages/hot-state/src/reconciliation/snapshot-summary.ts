import type { RedisConnection } from "../connection.ts";
import { snapshotKeys } from "../keys.ts";
import { requireAtMost } from "../money/limits.ts";

/** What the snapshot has of one row. */
export interface SnapshotRow {
  name: string;
  /** The row's version that was published last; null: never published. */
  version: number | null;
  /** Whether the entity is there; a removed one has a version only. */
  present: boolean;
}

const MAX_ROWS = 1_000;

/** Looks up rows of the snapshot by their entity names. */
export async function readSnapshotRows(
  redis: RedisConnection,
  names: readonly string[],
): Promise<SnapshotRow[]> {
  requireAtMost("names", names, MAX_ROWS);
  if (names.length === 0) return [];
  const [versions, entities] = await Promise.all([
    redis.hmget(snapshotKeys.rowVersions, ...names),
    // The length alone, so that no entity crosses the wire.
    Promise.all(names.map((name) => redis.hstrlen(snapshotKeys.entities, name))),
  ]);
  return names.map((name, i) => {
    const version = versions[i] ?? null;
    return { name, version: version === null ? null : Number(version), present: (entities[i] ?? 0) > 0 };
  });
}

/** How many entities the snapshot has. */
export function countSnapshotEntities(redis: RedisConnection): Promise<number> {
  return redis.hlen(snapshotKeys.entities);
}
