import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { ShardedMap } from "@diegetic/collections";
import { connectSubscriber, type RedisConnection } from "../connection.ts";
import { snapshotKeys } from "../keys.ts";
import { defineScript, type ScriptCall } from "../script.ts";
import { SNAPSHOT_LEASE_MS, SnapshotNotPublished } from "./lease.ts";
import { Round } from "./round.ts";
import { WakeableTimer } from "./wakeable-timer.ts";

/** One changed entity; `json` null: removed. Apply changes in the order of arrival, even if the row version is older. */
export interface SnapshotChange {
  name: string;
  json: string | null;
}

export interface SnapshotFollowerOptions {
  /** Name in the leases; a random suffix prevents two processes with one name from sharing a lease. */
  instance: string;
  /**
   * Applies a change, synchronously; the event loop gets a turn after each millisecond of changes. If it throws, the
   * follower delivers the same page again, and is not fresh before that succeeds.
   */
  onChange: (change: SnapshotChange) => void;
  /** Called for every failed attempt; the follower retries. */
  onError?: (error: Error) => void;
  /** Called for every successful attempt. */
  onSuccess?: () => void;
  /** Length of the lease in milliseconds. Default: SNAPSHOT_LEASE_MS. */
  leaseMs?: number;
  /** A monotonic clock in milliseconds. Default: performance.now. */
  monotonicMs?: () => number;
}

const CHANGES_PER_PAGE = 200;
/** Reading a page blocks the event loop in proportion to its size. */
const BYTES_PER_PAGE = 250_000;
/** Maximum time for changes in one event-loop turn. */
const TURN_MS = 1;
/** Reading this few changes takes negligible time. */
const FEW_CHANGES = 5;
const FIRST_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 1_000;

/**
 * Keeps a copy of the snapshot up to date, and reports the applied version by a lease in Redis.
 *
 * States:
 * - `idle`: not started, or stopped. Never fresh.
 * - `loading`: applies the whole change log from version 0 (it names every entity once). Never fresh. Entered again
 * whenever Redis has another epoch, older data than seen before, or no complete snapshot. Removes what the new log does
 * not name before the state ends.
 * - `following`: applies changes as they arrive (pub/sub wakes it; the lease renewal polls as a fallback). Fresh for
 * one lease length from before each renewal was sent. A renewal succeeds only when every change is applied. While Redis
 * is unavailable, the follower retries with bounded backoff, and stops being fresh when its lease may have expired.
 */
export class SnapshotFollower {
  readonly #redis: RedisConnection;
  readonly #options: SnapshotFollowerOptions;
  readonly #leaseMs: number;
  readonly #renewScript: ScriptCall;
  readonly #timer = new WakeableTimer();
  /** Entities in the copy, by name, with the load that last named them. */
  readonly #known = new ShardedMap<number>();
  #load = 0;
  #state: "idle" | "loading" | "following" = "idle";
  #instance = "";
  #epoch = "";
  #applied = 0;
  #renewals = 0;
  #confirmedRenewal = 0;
  #freshUntil = 0;
  #leaseExpiresMs = 0;
  readonly #monotonicMs: () => number;
  #nextRound = new Round();
  #running: Promise<void> | undefined;
  #stopping = false;

  constructor(redis: RedisConnection, options: SnapshotFollowerOptions) {
    this.#redis = redis;
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? SNAPSHOT_LEASE_MS;
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now());
    this.#renewScript = defineScript(redis, "renew_lease", 6);
  }

  get state(): "idle" | "loading" | "following" {
    return this.#state;
  }

  /** Starts loading and following in the background; see `waitUntilFresh`. */
  start(): void {
    if (this.#running !== undefined) throw new Error("the follower has been started already");
    this.#startOver("");
    this.#running = this.#run();
  }

  /** Whether this instance may serve now: its lease is certainly valid. Call it after a request has arrived. */
  isFresh(): boolean {
    return this.#monotonicMs() < this.#freshUntil;
  }

  /**
   * End of the lease, Unix milliseconds by the clock of Redis. `isFresh` uses the local clock, which stands still while
   * the machine is suspended, so scripts compare this value with the time of Redis. Read it before the data of the
   * decision.
   */
  get leaseExpiresMs(): number {
    return this.#leaseExpiresMs;
  }

  /** Applies everything published so far. Rejects when Redis is unavailable, and with SnapshotNotPublished. */
  catchUp(): Promise<void> {
    if (this.#running === undefined || this.#stopping)
      return Promise.reject(new Error("the follower is not running"));
    this.#timer.wake();
    return this.#nextRound.done;
  }

  /** Resolves once the follower is fresh; rejects after `timeoutMs`. */
  async waitUntilFresh(timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!this.isFresh()) {
      if (performance.now() > deadline) throw new Error(`the snapshot was not loaded within ${timeoutMs} ms`);
      await sleep(10);
    }
  }

  /** Stops, and drops the lease so that no change waits for this instance. */
  async stop(): Promise<void> {
    if (this.#running === undefined) return;
    this.#stopping = true;
    this.#freshUntil = 0;
    this.#timer.wake();
    await this.#running;
    this.#state = "idle";
  }

  async #run(): Promise<void> {
    const unsubscribe = this.#wakeBySubscription();
    let backoffMs = FIRST_BACKOFF_MS;
    while (!this.#stopping) {
      const round = this.#nextRound;
      this.#nextRound = new Round();
      this.#timer.reset();
      let pauseMs = this.#leaseMs / 4;
      try {
        await this.#takeAll();
        round.succeed();
        this.#options.onSuccess?.();
        backoffMs = FIRST_BACKOFF_MS;
      } catch (error) {
        const failure = error instanceof Error ? error : new Error(String(error));
        round.fail(failure);
        if (!this.#stopping) this.#options.onError?.(failure);
        pauseMs = backoffMs * (0.5 + Math.random() / 2);
        backoffMs = Math.min(MAX_BACKOFF_MS, backoffMs * 2);
      }
      if (!this.#stopping) await this.#timer.wait(pauseMs);
    }
    this.#nextRound.fail(new Error("the follower was stopped"));
    unsubscribe();
    await this.#dropLease(this.#instance);
  }

  /** One round: applies pages of changes until the lease is renewed. */
  async #takeAll(): Promise<void> {
    while (!this.#stopping) {
      const sentAt = this.#monotonicMs();
      const [code, ...rest] = await this.#renew();
      if (code === "current") {
        this.#confirmedRenewal = this.#renewals;
        await this.#removeUnconfirmed();
        this.#state = "following";
        if (this.#stopping) break;
        this.#freshUntil = sentAt + this.#leaseMs;
        this.#leaseExpiresMs = Number(rest[0]);
        return;
      }
      if (code === "changes") {
        await this.#takePage(rest);
      } else {
        const { instance, hadLease } = this.#startOver(rest[0] ?? "");
        if (hadLease) await this.#dropLease(instance);
        if (code === "incomplete") throw new SnapshotNotPublished();
      }
      await nextTurn();
    }
    throw new Error("the follower was stopped");
  }

  async #renew(): Promise<readonly string[]> {
    this.#renewals += 1;
    const reply = await this.#renewScript(
      snapshotKeys.version,
      snapshotKeys.epoch,
      snapshotKeys.complete,
      snapshotKeys.entities,
      snapshotKeys.log,
      snapshotKeys.leases,
      this.#instance,
      this.#epoch,
      this.#applied,
      this.#renewals,
      this.#confirmedRenewal,
      this.#leaseMs,
      CHANGES_PER_PAGE,
      BYTES_PER_PAGE,
    );
    const fields = reply.texts();
    const shapes: Record<string, boolean> = {
      current: fields.length === 2,
      incomplete: fields.length === 1,
      reload: fields.length === 2,
      changes: fields.length >= 4 && fields.length % 2 === 0,
    };
    if (shapes[reply.text(0)] !== true) throw reply.unexpected();
    return fields;
  }

  /** The version counts as applied after the whole page. */
  async #takePage([reached, ...pairs]: string[]): Promise<void> {
    const changes: SnapshotChange[] = [];
    for (let i = 0; i + 1 < pairs.length; i += 2) {
      changes.push({ name: pairs[i] ?? "", json: pairs[i + 1] || null });
    }
    await this.#applyInTurns(changes);
    this.#applied = Number(reached);
  }

  async #applyInTurns(changes: readonly SnapshotChange[]): Promise<void> {
    // Reading many changes has used a part of this turn.
    let turnEndsAt = changes.length > FEW_CHANGES ? 0 : performance.now() + TURN_MS;
    for (const change of changes) {
      if (performance.now() >= turnEndsAt) {
        await nextTurn();
        turnEndsAt = performance.now() + TURN_MS;
      }
      this.#apply(change);
    }
  }

  #apply(change: SnapshotChange): void {
    this.#options.onChange(change);
    if (change.json === null) this.#known.delete(change.name);
    else this.#known.set(change.name, this.#load);
  }

  /** After a load: removes entities that Redis no longer names, in several turns, because it takes milliseconds. */
  async #removeUnconfirmed(): Promise<void> {
    if (this.#state !== "loading") return;
    for (const part of this.#known.parts) {
      const gone: SnapshotChange[] = [];
      for (const [name, load] of part) {
        if (load !== this.#load) gone.push({ name, json: null });
      }
      await this.#applyInTurns(gone);
      await nextTurn();
    }
  }

  /**
   * Returns to version 0 of an epoch. Serving stops here, so the lease may be dropped. A new lease name ensures that a
   * late drop never affects the next lease.
   */
  #startOver(epoch: string): { instance: string; hadLease: boolean } {
    const before = { instance: this.#instance, hadLease: this.#confirmedRenewal > 0 };
    this.#freshUntil = 0;
    this.#leaseExpiresMs = 0;
    this.#state = "loading";
    this.#instance = `${this.#options.instance}:${randomUUID()}`;
    this.#epoch = epoch;
    this.#applied = 0;
    this.#confirmedRenewal = 0;
    this.#load += 1;
    return before;
  }

  async #dropLease(instance: string): Promise<void> {
    try {
      await this.#redis.hdel(snapshotKeys.leases, instance);
    } catch {
      // The lease expires anyway; dropping it only shortens others' waits.
    }
  }

  /** Messages and new connections only trigger an early poll. */
  #wakeBySubscription(): () => void {
    const subscriber = connectSubscriber(this.#redis);
    subscriber.on("message", () => this.#timer.wake());
    subscriber.on("ready", () => {
      this.#timer.wake();
      subscriber.subscribe(snapshotKeys.changed).catch(() => undefined);
    });
    return () => subscriber.disconnect();
  }
}
