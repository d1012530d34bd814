import type { Database } from "@diegetic/database";
import { type RedisConnection, takeKeyUses } from "@diegetic/hot-state";

const USES_PER_ROUND = 1_000;

/** Records in Postgres when the match tier, which has no Postgres, last used each key. Called by upkeep. */
export async function recordUsageOfMatchTier(database: Database, redis: RedisConnection): Promise<void> {
  const uses = await takeKeyUses(redis, USES_PER_ROUND);
  if (uses.length === 0) return;
  const ids = uses.map(({ keyId }) => keyId);
  const moments = uses.map(({ usedAtMs }) => new Date(usedAtMs));
  // Keeps a later time that is already stored.
  await database.$executeRaw`
    UPDATE api_keys SET last_used_at = used.at
    FROM unnest(${ids}::text[], ${moments}::timestamptz[]) AS used (id, at)
    WHERE api_keys.id = used.id AND (last_used_at IS NULL OR last_used_at < used.at)`;
}
