import { type Database, Prisma } from "@diegetic/database";
import { pagesOf } from "../loops/pages.ts";

/** Pending deliveries of a full webhook (docs/behaviour.md#webhooks). */
const MAX_PENDING_DELIVERIES = 10_000;
/** Counting that many takes milliseconds, so a page is far from the time limit of a statement. */
const WEBHOOKS_PER_PAGE = 50;
/** Longer than several pauses between two passes. */
const MARK = Prisma.sql`interval '1 minute'`;
const RENEW_BEFORE = Prisma.sql`interval '30 seconds'`;

/**
 * Counts pending deliveries, and marks webhooks that have the maximum: further events fail there. Here rather than where
 * events are recorded, which is in the transactions that write impressions. Until the next pass, a webhook may get more.
 */
export async function markFullWebhooks(database: Database, signal: AbortSignal): Promise<void> {
  for await (const page of pagesOf((after) => readPage(database, after))) {
    if (signal.aborted) return;
    await mark(
      database,
      page.map(({ id }) => id),
    );
  }
}

/** Webhooks with pending deliveries or a mark. */
function readPage(database: Database, after: string): Promise<{ id: string }[]> {
  return database.$queryRaw`
    SELECT id FROM webhooks w WHERE id > ${after} AND (full_until IS NOT NULL OR EXISTS (
      SELECT FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.status = 'pending'))
    ORDER BY id LIMIT ${WEBHOOKS_PER_PAGE}`;
}

/** Skips locked rows: the next pass marks them. */
async function mark(database: Database, ids: readonly string[]): Promise<void> {
  await database.$executeRaw`
    WITH counted AS MATERIALIZED (
      SELECT w.id, EXISTS (
        SELECT FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.status = 'pending'
        OFFSET ${MAX_PENDING_DELIVERIES - 1}
      ) AS is_full
      FROM webhooks w WHERE w.id = ANY(${ids})
    ), changed AS (
      SELECT w.id, is_full FROM webhooks w JOIN counted USING (id)
      WHERE CASE WHEN is_full THEN coalesce(w.full_until < now() + ${RENEW_BEFORE}, true)
        ELSE w.full_until IS NOT NULL END
      FOR NO KEY UPDATE OF w SKIP LOCKED
    )
    UPDATE webhooks w SET full_until = CASE WHEN is_full THEN now() + ${MARK} END
    FROM changed WHERE w.id = changed.id`;
}
