import { DAY_MS, type Database } from "@diegetic/database";

const ROWS_PER_DELETE = 1_000;
const MAX_DELIVERIES_PER_WEBHOOK = 10_000;
const PERIODS_KEPT_DAYS = 400;

/** Deletes old deliveries, attempts and events, and those beyond the newest 10 000 ended ones of a webhook. */
export async function forgetOldDeliveries(
  database: Database,
  { keptDays, nowMs, signal }: { keptDays: number; nowMs: number; signal: AbortSignal },
): Promise<void> {
  const before = (days: number) => new Date(nowMs - days * DAY_MS);
  while (!signal.aborted) {
    const [{ deleted }] = await database.$queryRaw<[{ deleted: bigint }]>`
      WITH old AS (
        DELETE FROM webhook_deliveries WHERE id IN (
          SELECT id FROM webhook_deliveries WHERE created_at < ${before(keptDays)} ORDER BY created_at
          LIMIT ${ROWS_PER_DELETE}
        ) RETURNING id
      ), attempts AS (
        DELETE FROM webhook_attempts WHERE delivery_id IN (SELECT id FROM old)
      ) SELECT count(*) AS deleted FROM old`;
    if (deleted === 0n) break;
  }
  await forgetSurplus(database);
  await database.$executeRaw`
    DELETE FROM webhook_events e WHERE e.id IN (
      SELECT id FROM webhook_events WHERE created_at < ${before(keptDays)} ORDER BY created_at LIMIT ${ROWS_PER_DELETE}
    ) AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.event_id = e.id)`;
  await database.$executeRaw`
    WITH old AS (DELETE FROM payout_periods WHERE announced_at < ${before(PERIODS_KEPT_DAYS)} RETURNING period)
    DELETE FROM delayed_payout_figures WHERE period IN (SELECT period FROM old)`;
}

async function forgetSurplus(database: Database): Promise<void> {
  await database.$executeRaw`
    WITH surplus AS (
      DELETE FROM webhook_deliveries WHERE id IN (
        SELECT old.id FROM webhooks w, LATERAL (
          SELECT id FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.status <> 'pending'
          ORDER BY id DESC OFFSET ${MAX_DELIVERIES_PER_WEBHOOK} LIMIT ${ROWS_PER_DELETE}
        ) AS old
      ) RETURNING id
    ) DELETE FROM webhook_attempts WHERE delivery_id IN (SELECT id FROM surplus)`;
}
