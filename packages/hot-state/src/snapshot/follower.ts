import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { ShardedMap } from "@diegetic/collections";
import { duplicateConnection, type RedisConnection } from "../connection.ts";
import { snapshotKeys } from "../keys.ts";
import { UnexpectedReply } from "../reply.ts";
import { defineScript, type ScriptCall } from "../script.ts";
import { Alarm } from "./alarm.ts";
import { SNAPSHOT_LEASE_MS, SnapshotNotPublished } from "./lease.ts";
import { Round } from "./round.ts";

/** One entity that changed; `json` null: it is gone. Apply it as it comes, also when its row version is older. */
export interface SnapshotChange {
  name: string;
  json: string | null;
}

export interface SnapshotFollowerOptions {
  /** Shown in the leases; a random part is added, so that two processes of one name do not share a lease. */
  instance: string;
  /**
   * Takes a change, synchronously; other work of the process has its turn after a millisecond of them. When it throws, the
   * follower does not become fresh again before it has taken the change: it brings the same page once more.
   */
  onChange: (change: SnapshotChange) => void;
  /** Told of every failed attempt; the follower goes on trying. */
  onError?: (error: Error) => void;
  /** Told of every attempt that succeeded. */
  onSuccess?: () => void;
  /** Length of the lease in milliseconds. Default: SNAPSHOT_LEASE_MS. */
  leaseMs?: number;
  /** How often the lease is renewed. Default: a quarter of its length. */
  renewEveryMs?: number;
  /** Milliseconds that never go back. Default: performance.now. */
  monotonicMs?: () => number;
}

const CHANGES_PER_PAGE = 200;
/** What a page takes to be read goes with its size, and nothing else has its turn meanwhile. */
const BYTES_PER_PAGE = 250_000;
/** No further change is brought in a turn that has taken so long. */
const TURN_MS = 1;
/** To read so many takes nothing of a turn that is worth counting. */
const FEW_CHANGES = 5;
const FIRST_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 1_000;

/**
 * Keeps a copy of the snapshot up to date and says by a lease in Redis how much of it this instance obeys.
 *
 * States:
 * - `idle`: not started, or stopped. Never fresh.
 * - `loading`: takes the whole change log from version 0 (it names every entity once). Never fresh; entered again
 *   whenever Redis has another epoch, older data than was seen, or no complete snapshot. What the copy holds and the
 *   new log does not name is removed before the state ends.
 * - `following`: takes changes as they come (pub/sub wakes it, the renewal of the lease is the poll behind it).
 *   Fresh from each renewal, counted from before it was sent, for one length of the lease.
 * A renewal succeeds only when nothing is left to take. While Redis is unavailable the follower keeps trying with bounded
 * backoff, and stops being fresh when its lease may have run out.
 */
export class SnapshotFollower {
  readonly #redis: RedisConnection;
  readonly #options: SnapshotFollowerOptions;
  readonly #leaseMs: number;
  readonly #renewEveryMs: number;
  readonly #renewScript: ScriptCall;
  readonly #alarm = new Alarm();
  /** What the copy holds, by name, and the load that named it last. */
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
    this.#renewEveryMs = options.renewEveryMs ?? this.#leaseMs / 4;
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now());
    this.#renewScript = defineScript(redis, "renew_lease", 6);
  }

  get state(): "idle" | "loading" | "following" {
    return this.#state;
  }

  /** The version up to which everything has been taken. */
  get appliedVersion(): number {
    return this.#applied;
  }

  /** How many entities the copy holds. */
  get size(): number {
    return this.#known.size;
  }

  /** Starts to load and follow, in the background; see `waitUntilFresh`. */
  start(): void {
    if (this.#running !== undefined) throw new Error("the follower has been started already");
    this.#startOver("");
    this.#running = this.#run();
  }

  /** Whether this instance may serve right now: its lease lives for certain. Ask it after a request has arrived. */
  isFresh(): boolean {
    return this.#monotonicMs() < this.#freshUntil;
  }

  /**
   * When the lease expires, Unix milliseconds by the clock of Redis. The clock of a suspended machine stands still and
   * `isFresh` with it: scripts compare this with the time of Redis. Take it before what is decided is read.
   */
  get leaseExpiresMs(): number {
    return this.#leaseExpiresMs;
  }

  /** Takes everything that is published by now. Rejects when Redis is unavailable, and with SnapshotNotPublished. */
  catchUp(): Promise<void> {
    if (this.#running === undefined || this.#stopping)
      return Promise.reject(new Error("the follower is not running"));
    this.#alarm.ring();
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

  /** Stops, and drops the lease so that nobody waits for this instance. */
  async stop(): Promise<void> {
    if (this.#running === undefined) return;
    this.#stopping = true;
    this.#freshUntil = 0;
    this.#alarm.ring();
    await this.#running;
    this.#state = "idle";
  }

  async #run(): Promise<void> {
    const unsubscribe = this.#wakeBySubscription();
    let backoffMs = FIRST_BACKOFF_MS;
    while (!this.#stopping) {
      const round = this.#nextRound;
      this.#nextRound = new Round();
      this.#alarm.reset();
      let pauseMs = this.#renewEveryMs;
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
      if (!this.#stopping) await this.#alarm.wait(pauseMs);
    }
    this.#nextRound.fail(new Error("the follower was stopped"));
    unsubscribe();
    await this.#dropLease(this.#instance);
  }

  /** One round: takes pages of changes until the lease is extended. */
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

  async #renew(): Promise<string[]> {
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
    const fields = Array.isArray(reply) ? reply.map(String) : [];
    const shapes: Record<string, boolean> = {
      current: fields.length === 2,
      incomplete: fields.length === 1,
      reload: fields.length === 2,
      changes: fields.length >= 4 && fields.length % 2 === 0,
    };
    if (shapes[fields[0] ?? ""] !== true) throw new UnexpectedReply("renew_lease", reply);
    return fields;
  }

  /** The version counts as applied when the whole page is taken. */
  async #takePage([reached, ...pairs]: string[]): Promise<void> {
    const changes: SnapshotChange[] = [];
    for (let i = 0; i + 1 < pairs.length; i += 2) {
      changes.push({ name: pairs[i] ?? "", json: pairs[i + 1] || null });
    }
    await this.#applyInTurns(changes);
    this.#applied = Number(reached);
  }

  async #applyInTurns(changes: readonly SnapshotChange[]): Promise<void> {
    // Reading many has taken some of this turn.
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

  /** After a load: the entities of before that Redis no longer names. All at once they take milliseconds to go through. */
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
   * Back to version 0 of an epoch. From here on nothing may be served, so the lease may go. A new name makes sure that
   * dropping the old lease, however late it arrives, never touches the next one.
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
      // The lease runs out by itself; dropping it only spares others the wait.
    }
  }

  /** A message or a new connection is only a reason to look: the poll finds every change without it. */
  #wakeBySubscription(): () => void {
    const subscriber = duplicateConnection(this.#redis);
    subscriber.on("error", () => undefined); // The commands of the main connection report the same failure.
    subscriber.on("message", () => this.#alarm.ring());
    subscriber.on("ready", () => {
      this.#alarm.ring();
      subscriber.subscribe(snapshotKeys.changed).catch(() => undefined);
    });
    return () => subscriber.disconnect();
  }
}
