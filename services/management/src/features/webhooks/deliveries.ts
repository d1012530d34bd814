import {
  noDelivery,
  noWebhook,
  otherAccountsDelivery,
  type WebhookDeliveryBody,
  type WebhookEventBody,
} from "@diegetic/contracts";
import type { Database, Prisma } from "@diegetic/database";
import { isIdentifier } from "../../core/shared/identifiers.ts";
import { type Paging, rowsOfPage } from "../../core/shared/paging.ts";
import { timestamp } from "../../core/shared/time.ts";
import type { Webhook } from "./webhook.ts";

type DeliveryRow = Prisma.WebhookDeliveryGetPayload<object>;

/** A delivery with its event and its last attempts, newest first. */
export interface Delivery extends DeliveryRow {
  event: Prisma.WebhookEventGetPayload<object>;
  attemptRows: Prisma.WebhookAttemptGetPayload<object>[];
}

const MAX_LISTED_ATTEMPTS = 12;

/** Throws 404 when there is no such delivery, 403 when it belongs to another account. */
export async function ownDelivery(
  database: Database,
  accountId: string,
  deliveryId: string,
): Promise<DeliveryRow> {
  const row = isIdentifier("whd", deliveryId)
    ? await database.webhookDelivery.findUnique({ where: { id: deliveryId } })
    : null;
  if (row === null) throw noDelivery.error();
  if (row.accountId !== accountId) throw otherAccountsDelivery.error();
  return row;
}

/** One page of a webhook's deliveries, newest first. */
export async function listDeliveries(
  database: Database,
  webhookId: string,
  paging: Paging,
): Promise<Delivery[]> {
  const rows = await database.webhookDelivery.findMany(rowsOfPage({ webhookId }, paging, "desc"));
  return withEvents(database, rows);
}

/** Throws 404 when it was deleted meanwhile. */
export async function readDelivery(database: Database, id: string): Promise<Delivery> {
  const [delivery] = await withEvents(database, await database.webhookDelivery.findMany({ where: { id } }));
  if (delivery === undefined) throw noDelivery.error();
  return delivery;
}

async function withEvents(database: Database, rows: DeliveryRow[]): Promise<Delivery[]> {
  const ids = rows.map(({ id }) => id);
  const [events, attempts] = await Promise.all([
    database.webhookEvent.findMany({ where: { id: { in: rows.map(({ eventId }) => eventId) } } }),
    database.$queryRaw<Delivery["attemptRows"]>`
      SELECT a.delivery_id AS "deliveryId", a.number, a.attempted_at AS "attemptedAt", a.duration_ms AS "durationMs",
        a.status, a.error, a.response
      FROM unnest(${ids}::text[]) AS wanted(id), LATERAL (
        SELECT * FROM webhook_attempts WHERE delivery_id = wanted.id ORDER BY number DESC LIMIT ${MAX_LISTED_ATTEMPTS}
      ) AS a ORDER BY a.delivery_id, a.number DESC`,
  ]);
  const eventOf = new Map(events.map((event) => [event.id, event]));
  const attemptsOf = new Map<string, Delivery["attemptRows"]>(ids.map((id) => [id, []]));
  for (const attempt of attempts) attemptsOf.get(attempt.deliveryId)?.push(attempt);
  return rows.flatMap((row) => {
    const event = eventOf.get(row.eventId);
    // Deleted between the two reads.
    if (event === undefined) return [];
    return [{ ...row, event, attemptRows: attemptsOf.get(row.id) ?? [] }];
  });
}

/** Records an event for this webhook alone; returns the id of its delivery. */
export async function recordTestEvent(
  database: Database,
  { id, accountId }: Pick<Webhook, "id" | "accountId">,
): Promise<string> {
  const data = JSON.stringify({ webhook_id: id });
  const [row] = await database.$queryRaw<{ id: string }[]>`
    SELECT record_webhook_event(${accountId}, 'webhook.test', ${data}::json, ${id}) AS id`;
  if (row === undefined) throw noWebhook.error();
  return row.id;
}

/** Makes the delivery due now, with all attempts. */
export async function deliverAgain(database: Database, deliveryId: string): Promise<void> {
  await database.$executeRaw`
    UPDATE webhook_deliveries SET status = 'pending', round = round + 1, round_attempts = 0, next_attempt_at = now(),
      queue_at = now()
    WHERE id = ${deliveryId}`;
}

export function toDeliveryResponse(delivery: Delivery): WebhookDeliveryBody {
  const { event, nextAttemptAt } = delivery;
  return {
    id: delivery.id,
    webhook_id: delivery.webhookId,
    event: {
      id: event.id,
      type: event.type as WebhookEventBody["type"],
      created_at: timestamp(event.createdAt),
      account_id: event.accountId,
      data: event.data as WebhookEventBody["data"],
    },
    status: delivery.status,
    attempt_count: delivery.attempts,
    attempts: delivery.attemptRows.map((attempt) => ({
      attempted_at: timestamp(attempt.attemptedAt),
      duration_ms: attempt.durationMs,
      status: attempt.status,
      error: attempt.error,
      response: attempt.response,
    })),
    next_attempt_at: nextAttemptAt === null ? null : timestamp(nextAttemptAt),
    created_at: timestamp(delivery.createdAt),
  };
}
