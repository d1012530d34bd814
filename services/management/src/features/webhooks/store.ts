import { chunks } from "@diegetic/collections";
import { MAX_WEBHOOKS, newId, noWebhook, otherAccountsWebhook, tooManyWebhooks } from "@diegetic/contracts";
import { type Database, inTransaction, type Transaction } from "@diegetic/database";
import { isIdentifier } from "../../core/shared/identifiers.ts";
import { lockAccount } from "../../core/shared/lock-account.ts";
import { type Paging, rowsOfPage } from "../../core/shared/paging.ts";
import type { newChoices, Webhook } from "./webhook.ts";

const EVENTS_PER_STEP = 1_000;

export function listWebhooks(database: Database, accountId: string, paging: Paging): Promise<Webhook[]> {
  return database.webhook.findMany(rowsOfPage({ accountId }, paging));
}

/** Throws 404 when there is no such webhook, 403 when it belongs to another account. */
export async function ownWebhook(
  client: Database | Transaction,
  accountId: string,
  webhookId: string,
): Promise<Webhook> {
  const webhook = isIdentifier("whk", webhookId)
    ? await client.webhook.findUnique({ where: { id: webhookId } })
    : null;
  if (webhook === null) throw noWebhook.error();
  if (webhook.accountId !== accountId) throw otherAccountsWebhook.error();
  return webhook;
}

/** Locks the webhook until the end of the transaction. */
export async function lockWebhook(
  transaction: Transaction,
  accountId: string,
  webhookId: string,
): Promise<Webhook> {
  await transaction.$queryRaw`SELECT FROM webhooks WHERE id = ${webhookId} FOR NO KEY UPDATE`;
  return ownWebhook(transaction, accountId, webhookId);
}

/** Throws 422 when the account has the maximum number of webhooks. */
export async function insertWebhook(
  transaction: Transaction,
  accountId: string,
  choices: ReturnType<typeof newChoices>,
  secret: string,
  nowMs: number,
): Promise<Webhook> {
  // Serialises the counts of concurrent inserts.
  await lockAccount(transaction, accountId);
  if ((await transaction.webhook.count({ where: { accountId } })) >= MAX_WEBHOOKS) {
    throw tooManyWebhooks.error();
  }
  return transaction.webhook.create({
    data: { id: newId("whk", nowMs), accountId, ...choices, secret, createdAt: new Date(nowMs) },
  });
}

/** Replaces the secret; the former one signs as well for the overlap. */
export function replaceSecret(
  transaction: Transaction,
  webhook: Webhook,
  secret: string,
  overlapSeconds: number,
  nowMs: number,
): Promise<Webhook> {
  const previous =
    overlapSeconds === 0
      ? { previousSecret: null, previousSecretExpiresAt: null }
      : {
          previousSecret: webhook.secret,
          previousSecretExpiresAt: new Date(nowMs + overlapSeconds * 1_000),
        };
  return transaction.webhook.update({
    where: { id: webhook.id },
    data: { secret, ...previous },
  });
}

/** Deletes the webhook with its deliveries and events. One that is recorded meanwhile ends at its first attempt. */
export async function deleteWebhook(database: Database, webhookId: string): Promise<void> {
  const eventIds = await inTransaction(database, async (transaction) => {
    await transaction.webhook.deleteMany({ where: { id: webhookId } });
    // First, and waits for an attempt that is being recorded: the next statement sees it.
    const deliveries = await transaction.$queryRaw<{ id: string; eventId: string }[]>`
      DELETE FROM webhook_deliveries WHERE webhook_id = ${webhookId} RETURNING id, event_id AS "eventId"`;
    const ids = deliveries.map(({ id }) => id);
    await transaction.$executeRaw`DELETE FROM webhook_attempts WHERE delivery_id = ANY(${ids}::text[])`;
    return deliveries.map(({ eventId }) => eventId);
  });
  // After a failure, billing deletes the rest when they are old.
  for (const some of chunks(eventIds, EVENTS_PER_STEP)) {
    await database.$executeRaw`
      DELETE FROM webhook_events e WHERE id = ANY(${some}::text[])
        AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.event_id = e.id)`;
  }
}
