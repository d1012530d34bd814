import { type Database, inTransaction, Prisma } from "@diegetic/database";
import type { WebhookJob } from "@diegetic/hot-state";
import type { PostResult } from "./post.ts";
import { deleteDeliveries } from "./retention.ts";

/** A pending delivery with what it needs. */
export interface DueDelivery {
  accountId: string;
  roundAttempts: number;
  body: string;
  url: string;
  /** The valid secrets, the newest first. */
  secrets: string[];
}

const MAX_KEPT_ATTEMPTS = 50;

interface DeliveryRow {
  account_id: string;
  round_attempts: number;
  event_id: string;
  type: string;
  data: unknown;
  created_at: Date;
  url: string | null;
  is_active: boolean | null;
  secret: string | null;
  previous_secret: string | null;
}

/**
 * Bounds what an account's slow receivers take of the queue, and how often their deliveries are postponed: twice what one
 * process sends at a time for it.
 */
const MAX_QUEUED_PER_ACCOUNT = 8;

/**
 * Takes pending deliveries that are due for the queue: of an account those of the webhook that has the fewest there, of
 * all accounts by age. They are taken again after `againAfterMs`, unless an attempt was recorded meanwhile: so Redis may
 * lose them. Those of a webhook that were taken before come first, because the queue may still have them. Each part is
 * ordered as an index is: thousands of a webhook may be due, or wait for their next attempt, and few are read.
 */
export async function takeDueDeliveries(
  database: Database,
  limit: number,
  againAfterMs: number,
): Promise<WebhookJob[]> {
  return inTransaction(database, async (transaction) => {
    // Compiling this statement takes longer than running it.
    await transaction.$executeRaw`SET LOCAL jit = off`;
    return transaction.$queryRaw<WebhookJob[]>`
      WITH RECURSIVE waiting AS (
        (SELECT webhook_id, account_id FROM webhook_deliveries WHERE status = 'pending' ORDER BY webhook_id LIMIT 1)
        UNION ALL
        SELECT next.webhook_id, next.account_id FROM waiting w, LATERAL (
          SELECT d.webhook_id, d.account_id FROM webhook_deliveries d
          WHERE d.status = 'pending' AND d.webhook_id > w.webhook_id ORDER BY d.webhook_id LIMIT 1
        ) AS next
      ), queued AS (
        SELECT w.webhook_id, w.account_id, of_webhook.count,
          sum(of_webhook.count) OVER (PARTITION BY w.account_id) AS of_account
        FROM waiting w, LATERAL (
          SELECT count(*) AS count FROM (
            SELECT FROM webhook_deliveries q WHERE q.webhook_id = w.webhook_id AND q.status = 'pending'
              AND q.queue_at > now() AND q.queue_at <> q.next_attempt_at
            ORDER BY q.queue_at LIMIT ${MAX_QUEUED_PER_ACCOUNT}
          ) AS counted
        ) AS of_webhook
      ), candidates AS (
        SELECT first.id, first.queue_at, q.of_account,
          row_number() OVER (PARTITION BY q.account_id ORDER BY q.count + first.rank, first.queue_at) AS rank
        FROM queued q, LATERAL (
          SELECT id, queue_at, row_number() OVER (ORDER BY was_taken DESC, queue_at) AS rank FROM (
            (SELECT d.id, d.queue_at, true AS was_taken FROM webhook_deliveries d
              WHERE d.webhook_id = q.webhook_id AND d.status = 'pending' AND d.queue_at <= now()
                AND d.queue_at <> d.next_attempt_at
              ORDER BY d.queue_at LIMIT greatest(0, ${MAX_QUEUED_PER_ACCOUNT} - q.of_account))
            UNION ALL
            (SELECT d.id, d.queue_at, false FROM webhook_deliveries d
              WHERE d.webhook_id = q.webhook_id AND d.status = 'pending' AND d.queue_at <= now()
                AND (d.queue_at <> d.next_attempt_at) IS NOT TRUE
              ORDER BY d.queue_at LIMIT greatest(0, ${MAX_QUEUED_PER_ACCOUNT} - q.of_account))
          ) AS due
        ) AS first
      ), due AS (
        SELECT id FROM candidates WHERE rank <= ${MAX_QUEUED_PER_ACCOUNT} - of_account
        ORDER BY queue_at LIMIT ${limit}
      )
      UPDATE webhook_deliveries SET queue_at = now() + ${againAfterMs}::float8 * interval '1 millisecond'
      WHERE id IN (SELECT id FROM due) AND status = 'pending' AND queue_at <= now()
      RETURNING id AS "deliveryId", round, round_attempts AS "roundAttempts"`;
  });
}

/** Takes a delivery out of the queue for a while. It keeps its turn among those of its webhook. */
export async function postpone(
  database: Database,
  { deliveryId, round, roundAttempts }: WebhookJob,
  pauseMs: number,
): Promise<void> {
  await database.$executeRaw`
    UPDATE webhook_deliveries SET queue_at = now() + ${pauseMs}::float8 * interval '1 millisecond'
    WHERE id = ${deliveryId} AND round = ${round} AND round_attempts = ${roundAttempts} AND status = 'pending'`;
}

/**
 * How long the oldest due delivery has waited; null: none. Those behind queued ones of their account do not count. A single
 * pass: a subquery for each delivery would read the table again for each of them.
 */
export async function oldestDueSeconds(database: Pick<Database, "$queryRaw">): Promise<number | null> {
  const [row] = await database.$queryRaw<[{ seconds: number | null }]>`
    SELECT extract(epoch FROM now() - min(oldest))::float8 AS seconds FROM (
      SELECT COALESCE(min(next_attempt_at) FILTER (WHERE queue_at > now()), min(next_attempt_at)) AS oldest
      FROM webhook_deliveries WHERE status = 'pending' AND next_attempt_at <= now() GROUP BY account_id
    ) AS of_account`;
  return row.seconds;
}

/**
 * The delivery of a job; undefined when there is nothing to send: this attempt was made, the delivery was asked for
 * again, or its webhook is deleted or inactive, which ends the delivery here.
 */
export async function findDelivery(
  database: Database,
  { deliveryId, round, roundAttempts }: WebhookJob,
): Promise<DueDelivery | undefined> {
  const [row] = await database.$queryRaw<DeliveryRow[]>`
    SELECT d.account_id, d.round_attempts, e.id AS event_id, e.type, e.data, e.created_at, w.url, w.is_active, w.secret,
      CASE WHEN w.previous_secret_expires_at > now() THEN w.previous_secret END AS previous_secret
    FROM webhook_deliveries d JOIN webhook_events e ON e.id = d.event_id LEFT JOIN webhooks w ON w.id = d.webhook_id
    WHERE d.id = ${deliveryId} AND d.round = ${round} AND d.round_attempts = ${roundAttempts}
      AND d.status = 'pending'`;
  if (row === undefined) return undefined;
  if (row.url === null || row.secret === null) {
    await deleteDeliveries(database, Prisma.sql`${deliveryId}`);
    return undefined;
  }
  if (!row.is_active && row.type !== "webhook.test") {
    await database.webhookDelivery.updateMany({
      where: { id: deliveryId, round, roundAttempts, status: "pending" },
      data: { status: "failed", nextAttemptAt: null },
    });
    return undefined;
  }
  return {
    accountId: row.account_id,
    roundAttempts: row.round_attempts,
    body: JSON.stringify({
      id: row.event_id,
      type: row.type,
      created_at: row.created_at.toISOString(),
      account_id: row.account_id,
      data: row.data,
    }),
    url: row.url,
    secrets: [row.secret, row.previous_secret].filter((secret) => secret !== null),
  };
}

export interface Attempt extends PostResult {
  attemptedAtMs: number;
  durationMs: number;
}

/** What follows an attempt: nothing more, or another one after `delayMs`. */
export type Next = { status: "delivered" | "failed" } | { status: "pending"; delayMs: number };

/**
 * Records an attempt. A round that ended meanwhile, or was asked for, stays as it is, and so does one that had this attempt
 * recorded by another worker, unless the delivery succeeded.
 */
export async function recordAttempt(
  database: Database,
  { deliveryId, round, roundAttempts }: WebhookJob,
  attempt: Attempt,
  next: Next,
): Promise<void> {
  const delayMs = next.status === "pending" ? next.delayMs : null;
  await inTransaction(database, async (transaction) => {
    const [row] = await transaction.$queryRaw<{ attempts: number }[]>`
      UPDATE webhook_deliveries SET attempts = attempts + 1 WHERE id = ${deliveryId} RETURNING attempts`;
    // Deleted with its webhook.
    if (row === undefined) return;
    await transaction.$executeRaw`
      UPDATE webhook_deliveries SET round_attempts = round_attempts + 1,
        status = ${next.status}::webhook_delivery_status,
        next_attempt_at = now() + ${delayMs}::float8 * interval '1 millisecond',
        queue_at = now() + ${delayMs ?? 0}::float8 * interval '1 millisecond'
      WHERE id = ${deliveryId} AND round = ${round} AND status = 'pending'
        AND (round_attempts = ${roundAttempts} OR ${next.status === "delivered"})`;
    await transaction.webhookAttempt.create({
      data: {
        deliveryId,
        number: row.attempts,
        attemptedAt: new Date(attempt.attemptedAtMs),
        durationMs: attempt.durationMs,
        status: attempt.status,
        error: attempt.error,
        response: attempt.response,
      },
    });
    await transaction.webhookAttempt.deleteMany({
      where: { deliveryId, number: { lte: row.attempts - MAX_KEPT_ATTEMPTS } },
    });
  });
}
