import {
  inactiveWebhook,
  SECRET_OVERLAP_SECONDS,
  secretNotShownAgain,
  webhookCreate,
  webhookPatch,
  webhookRotateRequest,
  webhooksApi,
} from "@diegetic/contracts";
import { databaseNowMs, inTransaction } from "@diegetic/database";
import type { RequestContext } from "@diegetic/service-kit";
import { createOnce, readSentBody } from "../../core/idempotency/create-once.ts";
import {
  newOneTimeSecret,
  type OneTimeSecretKind,
  withoutSecret,
  withSecret,
} from "../../core/shared/one-time-secret.ts";
import { pageAnswer, readPaging } from "../../core/shared/paging.ts";
import { endpointsOf } from "../endpoints-of.ts";
import type { Parts } from "../parts.ts";
import {
  type Delivery,
  deliverAgain,
  listDeliveries,
  ownDelivery,
  readDelivery,
  recordTestEvent,
  toDeliveryResponse,
} from "./deliveries.ts";
import {
  deleteWebhook,
  insertWebhook,
  listWebhooks,
  lockWebhook,
  ownWebhook,
  replaceSecret,
} from "./store.ts";
import {
  changedChoices,
  newChoices,
  requireAllowedUrl,
  requireEventScopes,
  toResponse,
  type Webhook,
} from "./webhook.ts";

const DELIVERIES_PER_PAGE = 50;
const SECRET: OneTimeSecretKind = {
  prefix: "whsec_",
  purpose: "webhook",
  notShownAgain: secretNotShownAgain,
};

/** Webhooks of an account; billing delivers their events (docs/behaviour.md#webhooks). */
export const webhookEndpoints = endpointsOf(webhooksApi.operations, {
  create,
  list,
  show,
  change,
  remove,
  rotateSecret,
  test,
  deliveries,
  redeliver,
});

async function create(parts: Parts, context: RequestContext) {
  const { database, clock, webhookAddresses, keyDerivationSecret } = parts;
  const { sent, value } = readSentBody(context, webhookCreate);
  requireAllowedUrl(value.url, webhookAddresses);
  requireEventScopes(context.caller, value.events);
  const nowMs = clock();
  const answer = await createOnce(database, context, sent, async (transaction) => {
    const fresh = newOneTimeSecret(SECRET, keyDerivationSecret);
    const choices = newChoices(value);
    const webhook = await insertWebhook(transaction, context.accountId, choices, fresh.secret, nowMs);
    return { status: 201, body: withoutSecret(toResponse(webhook, nowMs), fresh) };
  });
  return { ...answer, body: withSecret(answer.body, SECRET, keyDerivationSecret) };
}

async function list({ database, clock }: Parts, context: RequestContext) {
  const paging = readPaging(context, "whk");
  const rows = await listWebhooks(database, context.accountId, paging);
  return pageAnswer(context, paging, rows, (row) => toResponse(row, clock()));
}

async function show({ database, clock }: Parts, context: RequestContext) {
  const webhook = await ownWebhook(database, context.accountId, context.param("webhookId"));
  return { status: 200, body: toResponse(webhook, clock()) };
}

async function change({ database, clock, webhookAddresses }: Parts, context: RequestContext) {
  const { id } = await ownWebhook(database, context.accountId, context.param("webhookId"));
  const webhook = await inTransaction(database, async (transaction) => {
    const current = await lockWebhook(transaction, context.accountId, id);
    const patch = context.body((sent) => webhookPatch(sent, toResponse(current, clock())));
    const changed = changedChoices(patch);
    if (changed.url !== undefined) requireAllowedUrl(changed.url, webhookAddresses);
    requireEventScopes(context.caller, [...current.events, ...(changed.events ?? [])]);
    return transaction.webhook.update({ where: { id }, data: changed });
  });
  return { status: 200, body: toResponse(webhook, clock()) };
}

async function remove({ database }: Parts, context: RequestContext) {
  const webhook = await ownWebhook(database, context.accountId, context.param("webhookId"));
  requireEventScopes(context.caller, webhook.events);
  await deleteWebhook(database, webhook.id);
  return { status: 204 };
}

async function rotateSecret({ database, keyDerivationSecret }: Parts, context: RequestContext) {
  const { id, events } = await ownWebhook(database, context.accountId, context.param("webhookId"));
  const { sent, value } = readSentBody(context, webhookRotateRequest);
  requireEventScopes(context.caller, events);
  const answer = await createOnce(database, context, sent, async (transaction) => {
    const current = await lockWebhook(transaction, context.accountId, id);
    const overlapSeconds = value.overlap_seconds ?? SECRET_OVERLAP_SECONDS.default;
    const fresh = newOneTimeSecret(SECRET, keyDerivationSecret);
    const nowMs = await databaseNowMs(transaction);
    const webhook = await replaceSecret(transaction, current, fresh.secret, overlapSeconds, nowMs);
    return { status: 200, body: withoutSecret(toResponse(webhook, nowMs), fresh) };
  });
  return { ...answer, body: withSecret(answer.body, SECRET, keyDerivationSecret) };
}

async function test({ database }: Parts, context: RequestContext) {
  const webhook = await ownWebhook(database, context.accountId, context.param("webhookId"));
  requireEventScopes(context.caller, webhook.events);
  const deliveryId = await recordTestEvent(database, webhook);
  return { status: 200, body: toDeliveryResponse(await readDelivery(database, deliveryId)) };
}

async function deliveries({ database }: Parts, context: RequestContext) {
  const webhook = await ownWebhook(database, context.accountId, context.param("webhookId"));
  requireEventScopes(context.caller, webhook.events);
  const { limit = DELIVERIES_PER_PAGE, after } = readPaging(context, "whd");
  const paging = { limit, after };
  const page = await listDeliveries(database, webhook.id, paging);
  requireEventsOf(context, webhook, page);
  return pageAnswer(context, paging, page, toDeliveryResponse);
}

/**
 * Throws 403 unless the key has the scopes of the webhook and of its deliveries, which may be of events that it no longer
 * names.
 */
function requireEventsOf(context: RequestContext, webhook: Webhook, page: readonly Delivery[]): void {
  requireEventScopes(context.caller, [...webhook.events, ...page.map(({ event }) => event.type)]);
}

async function redeliver({ database }: Parts, context: RequestContext) {
  const delivery = await ownDelivery(database, context.accountId, context.param("deliveryId"));
  const webhook = await ownWebhook(database, context.accountId, delivery.webhookId);
  const read = await readDelivery(database, delivery.id);
  requireEventsOf(context, webhook, [read]);
  if (!webhook.isActive && read.event.type !== "webhook.test") throw inactiveWebhook.error();
  await deliverAgain(database, delivery.id);
  return { status: 200, body: toDeliveryResponse(await readDelivery(database, delivery.id)) };
}
