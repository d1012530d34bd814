import { DAY_MS, type Database, inTransaction, Prisma } from "@diegetic/database";
import { deleteInSteps } from "../loops/delete-in-steps.ts";
import { forEachLimited, runEach } from "../loops/for-each.ts";

const MAX_DELIVERIES_PER_WEBHOOK = 10_000;
const PERIODS_KEPT_DAYS = 400;

/**
 * Deletes old deliveries, attempts and events, and those beyond the newest 10 000 ended ones of a webhook. A failure does
 * not keep the rest from being deleted; the first failure is thrown at the end.
 */
export async function forgetOldDeliveries(
  database: Database,
  { keptDays, nowMs, signal }: { keptDays: number; nowMs: number; signal: AbortSignal },
): Promise<void> {
  const before = (days: number) => new Date(nowMs - days * DAY_MS);
  await runEach(
    () => forgetDeliveries(database, before(keptDays), signal),
    () => forgetSurplus(database, signal),
    () => forgetEvents(database, before(keptDays), signal),
    () => forgetPeriods(database, before(PERIODS_KEPT_DAYS)),
  );
}

function forgetDeliveries(database: Database, before: Date, signal: AbortSignal): Promise<void> {
  return deleteInSteps(signal, (limit) =>
    deleteDeliveries(
      database,
      Prisma.sql`SELECT id FROM webhook_deliveries WHERE created_at < ${before} ORDER BY created_at LIMIT ${limit}`,
    ),
  );
}

async function forgetSurplus(database: Database, signal: AbortSignal): Promise<void> {
  const crowded = await database.$queryRaw<{ webhookId: string; newestId: string }[]>`
    SELECT w.id AS "webhookId", surplus.id AS "newestId" FROM webhooks w, LATERAL (
      SELECT id FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.status <> 'pending'
      ORDER BY id DESC OFFSET ${MAX_DELIVERIES_PER_WEBHOOK} LIMIT 1
    ) AS surplus`;
  await forEachLimited(crowded, 1, ({ webhookId, newestId }) =>
    deleteInSteps(signal, (limit) =>
      deleteDeliveries(
        database,
        Prisma.sql`
          SELECT id FROM webhook_deliveries WHERE webhook_id = ${webhookId} AND status <> 'pending' AND id <= ${newestId}
          ORDER BY id LIMIT ${limit}`,
      ),
    ),
  );
}

/** Deletes the deliveries with these ids, with their attempts and the events of which none is left, and returns their number. */
export function deleteDeliveries(database: Database, ids: Prisma.Sql): Promise<number> {
  return inTransaction(database, async (transaction) => {
    // First, and waits for an attempt that is being recorded: the next statement sees it.
    const deleted = await transaction.$queryRaw<{ id: string; eventId: string }[]>`
      DELETE FROM webhook_deliveries WHERE id IN (${ids}) RETURNING id, event_id AS "eventId"`;
    const deletedIds = deleted.map(({ id }) => id);
    await transaction.$executeRaw`DELETE FROM webhook_attempts WHERE delivery_id = ANY(${deletedIds}::text[])`;
    const eventIds = [...new Set(deleted.map(({ eventId }) => eventId))];
    await transaction.$executeRaw`
      DELETE FROM webhook_events e WHERE id = ANY(${eventIds}::text[])
        AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.event_id = e.id)`;
    return deleted.length;
  });
}

/** Events whose last deliveries were deleted at the same moment. An event is kept as long as one of its deliveries. */
function forgetEvents(database: Database, before: Date, signal: AbortSignal): Promise<void> {
  return deleteInSteps(
    signal,
    (limit) => database.$executeRaw`
      DELETE FROM webhook_events WHERE id IN (
        SELECT id FROM webhook_events e WHERE created_at < ${before}
          AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.event_id = e.id)
        ORDER BY created_at LIMIT ${limit}
      )`,
  );
}

async function forgetPeriods(database: Database, before: Date): Promise<void> {
  await database.$executeRaw`
    WITH old AS (DELETE FROM payout_periods WHERE announced_at < ${before} RETURNING period)
    DELETE FROM delayed_payout_figures WHERE period IN (SELECT period FROM old)`;
}
