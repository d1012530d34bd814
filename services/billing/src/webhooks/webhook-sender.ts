import type { Database } from "@diegetic/database";
import type { WebhookJob, WebhookProducer } from "@diegetic/hot-state";
import type { BillingMeasures } from "../measures.ts";
import {
  type Attempt,
  type DueDelivery,
  findDelivery,
  type Next,
  postpone,
  recordAttempt,
  takeDueDeliveries,
} from "./deliveries.ts";
import { type PostOptions, post } from "./post.ts";
import { signatureOf } from "./signature.ts";

/** With a base of 30 s the last attempt is made after about 17 hours. */
const MAX_ATTEMPTS = 12;
/** One account's slow receivers leave room for those of others. */
const MAX_CONCURRENT_PER_ACCOUNT = 4;
const BUSY_PAUSE_MS = 1_000;
const JOBS_PER_PAGE = 200;

export interface WebhookSenderParts {
  database: Database;
  producer: Pick<WebhookProducer, "add">;
  measures: BillingMeasures;
  nowMs: () => number;
  options: PostOptions & {
    /** Pause before the second attempt; each further one is twice as long. */
    retryBaseMs: number;
    /** When a queued delivery without an attempt counts as lost. */
    lostAfterMs: number;
  };
}

/**
 * Sends recorded events to their webhooks, at least once each (docs/behaviour.md#webhooks). Postgres keeps the pauses
 * between attempts; the queue has only what is due.
 */
export class WebhookSender {
  readonly #parts: WebhookSenderParts;
  /** Running requests by account. */
  readonly #running = new Map<string, number>();

  constructor(parts: WebhookSenderParts) {
    this.#parts = parts;
  }

  /** Queues what is due. */
  async pass(signal: AbortSignal): Promise<void> {
    const { database, producer, options } = this.#parts;
    while (!signal.aborted) {
      const jobs = await takeDueDeliveries(database, JOBS_PER_PAGE, options.lostAfterMs);
      for (const job of jobs) await producer.add(job);
      if (jobs.length < JOBS_PER_PAGE) return;
    }
  }

  /** Makes one attempt, or postpones it while too many of its account are running. */
  async handle(job: WebhookJob): Promise<void> {
    const { database } = this.#parts;
    const delivery = await findDelivery(database, job);
    if (delivery === undefined) return;
    const running = this.#running.get(delivery.accountId) ?? 0;
    if (running >= MAX_CONCURRENT_PER_ACCOUNT) {
      await postpone(database, job, BUSY_PAUSE_MS * (1 + Math.random()));
      return;
    }
    this.#running.set(delivery.accountId, running + 1);
    try {
      await this.#attempt(job, delivery);
    } finally {
      const left = (this.#running.get(delivery.accountId) ?? 1) - 1;
      if (left > 0) this.#running.set(delivery.accountId, left);
      else this.#running.delete(delivery.accountId);
    }
  }

  async #attempt(job: WebhookJob, delivery: DueDelivery): Promise<void> {
    const { database, measures } = this.#parts;
    const attempt = await this.#send(delivery);
    const next = this.#nextOf(attempt, delivery);
    measures.webhookAttempts.inc({ result: next.status === "delivered" ? "delivered" : "failed" });
    if (next.status === "failed") measures.webhooksGivenUp.inc();
    await recordAttempt(database, job, attempt, next);
  }

  async #send({ url, body, secrets }: DueDelivery): Promise<Attempt> {
    const { nowMs, options } = this.#parts;
    const attemptedAtMs = nowMs();
    const startedMs = performance.now();
    const headers = {
      "Content-Type": "application/json; charset=utf-8",
      "User-Agent": "Diegetic-Webhooks/1",
      "Diegetic-Signature": signatureOf(body, secrets, Math.floor(attemptedAtMs / 1_000)),
    };
    const result = await post(url, body, headers, options);
    return { ...result, attemptedAtMs, durationMs: Math.round(performance.now() - startedMs) };
  }

  #nextOf({ status }: Attempt, { roundAttempts }: DueDelivery): Next {
    if (status !== null && status >= 200 && status < 300) return { status: "delivered" };
    if (roundAttempts + 1 >= MAX_ATTEMPTS) return { status: "failed" };
    const { retryBaseMs } = this.#parts.options;
    const delayMs = Math.round(retryBaseMs * 2 ** roundAttempts * (0.75 + Math.random() / 2));
    return { status: "pending", delayMs };
  }
}
