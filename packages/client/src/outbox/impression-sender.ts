import type { ClientEvent, DropReason } from "../events.ts";
import type { ImpressionRecord } from "../generated/api.ts";
import { isRejection, retryAfterMs, retryDelayMs } from "../retry.ts";
import { type Answer, detailOf, MAX_TIMER_MS, messageOf } from "../transport.ts";
import type { Outbox, OutboxEntry } from "./outbox.ts";

const MAX_CONCURRENT_REQUESTS = 4;
/** After a failed retry: at most 40 retries a second reach a service that is down. */
const PAUSE_OF_RETRIES_MS = 100;
/** No service bills a match that is older; before, only the service knows. */
const MAX_AGE_MS = 8 * 24 * 60 * 60 * 1_000;

interface Pending {
  entry: OutboxEntry;
  /** As `performance.now`, which no change of the clock moves. */
  expiresAtMs: number;
  attempts: number;
  /** Recorded by this client and not sent yet. */
  isNew: boolean;
}

export interface ImpressionSenderOptions {
  outbox: Outbox;
  /** One attempt. Rejects when no answer comes. */
  send: (entry: OutboxEntry, cancelled: AbortSignal) => Promise<Answer>;
  onEvent: (event: ClientEvent) => void;
}

/** Sends each impression of the outbox until it has a final answer, a few at a time. */
export class ImpressionSender {
  readonly #outbox: Outbox;
  readonly #send: ImpressionSenderOptions["send"];
  readonly #onEvent: ImpressionSenderOptions["onEvent"];
  /** By match_id: everything without a final answer. */
  readonly #pending = new Map<string, Pending>();
  /** Sent before retries, so that impressions that cannot be recorded hold up no other. */
  readonly #new: Pending[] = [];
  readonly #dueRetries: Pending[] = [];
  readonly #retries = new Set<ReturnType<typeof setTimeout>>();
  /** Flushes. */
  readonly #waiting = new Set<() => void>();
  readonly #closing = new AbortController();
  #resumeTimer: ReturnType<typeof setTimeout> | undefined;
  /** As `performance.now`, which no change of the clock moves. */
  #pausedUntilMs = 0;
  #retriesPausedUntilMs = 0;
  #inFlight = 0;
  #isLoaded = false;

  constructor(options: ImpressionSenderOptions) {
    this.#outbox = options.outbox;
    this.#send = options.send;
    this.#onEvent = options.onEvent;
    void this.#load();
  }

  get pending(): number {
    return this.#pending.size;
  }

  /** Aborted when the sender is closed. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  /** False when the impression is not accepted; an event says why. One that is pending is accepted again. */
  add(entry: OutboxEntry): boolean {
    if (this.closed.aborted) return this.#drop(entry.match_id, "closed");
    if (this.#pending.has(entry.match_id)) return true;
    if (this.#pending.size >= this.#outbox.capacity) return this.#drop(entry.match_id, "outbox_full");
    this.#write(() => this.#outbox.add(entry));
    this.#enqueue(entry, { isNew: true, ageMs: 0 });
    return true;
  }

  /** Settles when nothing is pending, the time is over or the sender closed. */
  async flush(timeoutMs: number): Promise<void> {
    if (this.#isEmpty() || this.closed.aborted) return;
    await new Promise<void>((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        this.#waiting.delete(finish);
        resolve();
      };
      const timer = setTimeout(finish, Math.min(timeoutMs, MAX_TIMER_MS));
      this.#waiting.add(finish);
    });
  }

  /** Sends nothing more. A durable outbox keeps what is pending; otherwise each impression is reported as dropped. */
  close(): void {
    if (this.closed.aborted) return;
    this.#closing.abort();
    for (const timer of this.#retries) clearTimeout(timer);
    clearTimeout(this.#resumeTimer);
    if (!this.#outbox.isDurable) for (const matchId of this.#pending.keys()) this.#drop(matchId, "abandoned");
    this.#write(() => this.#outbox.close());
    for (const finish of this.#waiting) finish();
  }

  async #load(): Promise<void> {
    try {
      for (const entry of await this.#outbox.load()) {
        const ageMs = Math.max(0, Date.now() - entry.recorded_at_ms);
        if (!this.#pending.has(entry.match_id)) this.#enqueue(entry, { isNew: false, ageMs });
      }
    } catch (error) {
      this.#onEvent({ type: "outbox_failed", detail: messageOf(error) });
    }
    this.#isLoaded = true;
    this.#reportEmpty();
  }

  #enqueue(entry: OutboxEntry, { isNew, ageMs }: { isNew: boolean; ageMs: number }): void {
    const pending = { entry, expiresAtMs: performance.now() + MAX_AGE_MS - ageMs, attempts: 0, isNew };
    this.#pending.set(entry.match_id, pending);
    (isNew ? this.#new : this.#dueRetries).push(pending);
    this.#pump();
  }

  #pump(): void {
    clearTimeout(this.#resumeTimer);
    while (!this.closed.aborted && this.#inFlight < MAX_CONCURRENT_REQUESTS) {
      const pauseMs = this.#pauseMs();
      if (pauseMs > 0) {
        this.#resumeTimer = setTimeout(() => this.#pump(), Math.ceil(pauseMs));
        return;
      }
      const next = this.#new.shift() ?? this.#dueRetries.shift();
      if (next === undefined) return;
      if (performance.now() > next.expiresAtMs) {
        this.#drop(next.entry.match_id, "expired");
        this.#remove(next);
        continue;
      }
      this.#inFlight += 1;
      void this.#attempt(next)
        .catch((error: unknown) => this.#retryLater(next, undefined, messageOf(error)))
        .finally(() => {
          this.#inFlight -= 1;
          this.#pump();
        });
    }
  }

  /** Rejects when no answer comes. */
  async #attempt(pending: Pending): Promise<void> {
    pending.attempts += 1;
    const { match_id } = pending.entry;
    const answer = await this.#send(pending.entry, this.closed);
    if (this.closed.aborted) return;
    const { status } = answer;
    const record = recordIn(answer);
    if (record !== undefined) {
      const { charged_cents } = record;
      this.#onEvent({ type: "impression_recorded", match_id, charged_cents, attempts: pending.attempts });
      this.#remove(pending);
    } else if (isRejection(answer)) {
      this.#onEvent({ type: "impression_rejected", match_id, status, detail: detailOf(answer) });
      this.#remove(pending);
    } else {
      this.#retryLater(pending, answer, detailOf(answer));
    }
  }

  #retryLater(pending: Pending, answer: Answer | undefined, detail: string): void {
    if (this.closed.aborted) return;
    const { attempts } = pending;
    const { match_id } = pending.entry;
    const askedMs = retryAfterMs(answer?.headers);
    const delayMs = retryDelayMs(attempts, askedMs);
    const status = answer?.status;
    this.#onEvent({ type: "impression_retrying", match_id, attempts, delay_ms: delayMs, status, detail });
    // Only a rate limit concerns the whole key: another failure may be of one advertiser alone.
    if (status === 429) this.#pausedUntilMs = Math.max(this.#pausedUntilMs, performance.now() + delayMs);
    if (!pending.isNew) this.#retriesPausedUntilMs = performance.now() + PAUSE_OF_RETRIES_MS;
    pending.isNew = false;
    const timer = setTimeout(() => {
      this.#retries.delete(timer);
      this.#dueRetries.push(pending);
      this.#pump();
    }, delayMs);
    this.#retries.add(timer);
  }

  /** Until the first of those that wait may be sent; 0 or less: now. */
  #pauseMs(): number {
    const untilMs =
      this.#new.length > 0 ? this.#pausedUntilMs : Math.max(this.#pausedUntilMs, this.#retriesPausedUntilMs);
    return untilMs - performance.now();
  }

  #remove({ entry }: Pending): void {
    this.#pending.delete(entry.match_id);
    this.#write(() => this.#outbox.remove(entry.match_id));
    this.#reportEmpty();
  }

  #drop(matchId: string, reason: DropReason): false {
    this.#onEvent({ type: "impression_dropped", match_id: matchId, reason });
    return false;
  }

  #write(change: () => void): void {
    try {
      change();
    } catch (error) {
      this.#onEvent({ type: "outbox_failed", detail: messageOf(error) });
    }
  }

  #isEmpty(): boolean {
    return this.#isLoaded && this.#pending.size === 0;
  }

  #reportEmpty(): void {
    if (this.#isEmpty()) for (const finish of this.#waiting) finish();
  }
}

/** Undefined unless the service says that the impression is recorded: a proxy's page is no record. */
function recordIn({ status, body }: Answer): ImpressionRecord | undefined {
  const record = body as Partial<ImpressionRecord> | null | undefined;
  return status === 201 && typeof record?.impression_id === "string"
    ? (record as ImpressionRecord)
    : undefined;
}
