import { createWebhookProducer, createWebhookWorker } from "@diegetic/hot-state";
import type { Logger } from "@diegetic/service-kit";
import type { BillingMeasures } from "../measures.ts";
import type { BillingPace } from "../pace.ts";
import type { BillingSettings } from "../settings.ts";
import type { Stores } from "../stores.ts";
import { WebhookSender } from "./webhook-sender.ts";

/** An account has at most four of them, so 32 accounts with slow receivers take them all. */
const MAX_CONCURRENT_REQUESTS = 128;

export interface DeliveryQueueParts {
  redisUrl: string;
  settings: BillingSettings;
  stores: Pick<Stores, "database" | "claim" | "outageOf">;
  measures: BillingMeasures;
  logger: Logger;
  nowMs: () => number;
  pace: BillingPace;
}

/** The sender of webhooks and both ends of its queue: its own, so that slow receivers do not delay billing. */
export function createDeliveryQueue({
  redisUrl,
  settings,
  stores,
  logger,
  pace,
  ...parts
}: DeliveryQueueParts) {
  const { database, claim, outageOf } = stores;
  const name = `${settings.instanceName}-webhooks`;
  const sending = outageOf("webhook producer");
  const producer = createWebhookProducer(redisUrl, {
    name: `${name}-producer`,
    claim,
    onError: sending.failed,
    onSuccess: sending.succeeded,
  });
  const sender = new WebhookSender({
    ...parts,
    database,
    producer,
    options: {
      addresses: settings.webhookAddresses,
      timeoutMs: settings.webhookTimeoutSeconds * 1_000,
      retryBaseMs: settings.webhookRetryMs,
      lostAfterMs: pace.webhookLostAfterMs,
    },
  });
  const taking = outageOf("webhook worker");
  const worker = createWebhookWorker(redisUrl, (job) => sender.handle(job), {
    name: `${name}-worker`,
    claim,
    concurrency: MAX_CONCURRENT_REQUESTS,
    lockMs: pace.jobLockMs,
    onError: taking.failed,
    onLockLost: (error) => logger.warn({ err: error }, "job lock lost; the job may run twice"),
    onSuccess: taking.succeeded,
    onFailed: (error) => logger.warn({ err: error }, "webhook delivery failed; it is tried again"),
  });
  return { sender, producer, worker };
}
