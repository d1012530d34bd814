import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { duplicateConnection, type RedisConnection } from "../connection.ts";
import { snapshotKeys } from "../keys.ts";
import { UnexpectedReply } from "../reply.ts";
import { defineScript } from "../script.ts";
import { Alarm } from "./alarm.ts";
import { SNAPSHOT_LEASE_MS } from "./lease.ts";
import { readEntities } from "./read-entities.ts";

/** One entity that changed; `json` null: it is gone. Apply it as it comes, also when its row version is older. */
export interface SnapshotChange {
  name: string;
  json: string | null;
}

export interface SnapshotFollowerOptions {
  /** Shown in the leases; a random part is added, so that two processes of one name do not share a lease. */
  instance: string;
  /**
   * Takes at most 200 changes at a time, synchronously. When it throws, the follower is not fresh and brings the same
   * changes again.
   */
  onChanges: (changes: SnapshotChange[]) => void;
  /** Told of every failed attempt; the follower goes on trying. */
  onError?: (error: Error) => void;
  /** Length of the lease. Default: SNAPSHOT_LEASE_MS. */
  leaseMs?: number;
  /** How often the lease is renewed. Default: a quarter of its length. */
  renewEveryMs?: number;
}

const CHANGES_PER_PAGE = 200;
const BYTES_PER_PAGE = 1_000_000;
const FIRST_BACKOFF_MS = 50;
const LONGEST_BACKOFF_MS = 1_000;

/**
 * Keeps a copy of the snapshot up to date and says by a lease in Redis how much of it this instance obeys.
 *
 * States:
 * - `idle`: not started, or stopped. Never fresh.
 * - `loading`: reads all entities, then the changes made meanwhile. Never fresh; entered again whenever Redis has
 *   another epoch, older data than was seen, or no complete snapshot.
 * - `following`: applies changes as they come (pub/sub wakes it, the renewal of the lease is the poll behind it).
 *   Fresh from each renewal, counted from before it was sent, for one length of the lease.
 * While Redis is away it keeps trying with bounded backoff; it stops being fresh when the lease may have run out.
 */
export class SnapshotFollower {
  readonly #redis: RedisConnection;
  readonly #options: SnapshotFollowerOptions;
  readonly #instance: string;
  readonly #leaseMs: number;
  readonly #renewEveryMs: number;
  readonly #renewScript: ReturnType<typeof defineScript>;
  readonly #alarm = new Alarm();
  readonly #known = new Set<string>();
  #waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  #state: "idle" | "loading" | "following" = "idle";
  #epoch = "";
  #applied = 0;
  #renewals = 0;
  #confirmedRenewal = 0;
  #freshUntil = 0;
  #running: Promise<void> | undefined;
  #stopping = false;

  constructor(redis: RedisConnection, options: SnapshotFollowerOptions) {
    this.#redis = redis;
    this.#options = options;
    this.#instance = `${options.instance}:${randomUUID()}`;
    this.#leaseMs = options.leaseMs ?? SNAPSHOT_LEASE_MS;
    this.#renewEveryMs = options.renewEveryMs ?? this.#leaseMs / 4;
    this.#renewScript = defineScript(redis, "renew_lease", 6);
  }

  /** idle, loading or following. */
  get state(): string {
    return this.#state;
  }

  /** The version up to which everything has been applied. */
  get appliedVersion(): number {
    return this.#applied;
  }

  /** How many entities the copy has. */
  get size(): number {
    return this.#known.size;
  }

  /** Starts to load and follow, in the background; see `waitUntilFresh`. */
  start(): void {
    if (this.#running !== undefined) throw new Error("the follower has been started already");
    this.#state = "loading";
    this.#running = this.#run();
  }

  /** Whether this instance may serve right now: its lease lives for certain. Ask it after a request has arrived. */
  isFresh(): boolean {
    return performance.now() < this.#freshUntil;
  }

  /** Applies everything that is published by now. Rejects when Redis is away or has no complete snapshot. */
  catchUp(): Promise<void> {
    if (this.#running === undefined || this.#stopping)
      return Promise.reject(new Error("the follower is not running"));
    const caughtUp = new Promise<void>((resolve, reject) => this.#waiting.push({ resolve, reject }));
    this.#alarm.ring();
    return caughtUp;
  }

  /** Resolves once the follower is fresh; rejects after `timeoutMs`. */
  async waitUntilFresh(timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    const poll = new Alarm();
    while (!this.isFresh()) {
      if (performance.now() > deadline) throw new Error(`the snapshot was not loaded within ${timeoutMs} ms`);
      await poll.wait(10);
    }
  }

  /** Stops, and drops the lease so that nobody waits for this instance. */
  async stop(): Promise<void> {
    if (this.#running === undefined || this.#stopping) return this.#running;
    this.#stopping = true;
    this.#freshUntil = 0;
    this.#alarm.ring();
    await this.#running;
    this.#state = "idle";
    this.#settleWaiting(this.#waiting, new Error("the follower was stopped"));
    await this.#dropLease();
  }

  async #run(): Promise<void> {
    const subscriber = duplicateConnection(this.#redis);
    subscriber.on("error", () => undefined);
    subscriber.on("message", () => this.#alarm.ring());
    subscriber.on("ready", () => this.#alarm.ring());
    let subscribed = false;
    let backoffMs = FIRST_BACKOFF_MS;
    while (!this.#stopping) {
      const waiting = this.#waiting;
      this.#waiting = [];
      this.#alarm.reset();
      let pauseMs = this.#renewEveryMs;
      try {
        if (!subscribed) {
          await subscriber.subscribe(snapshotKeys.changed);
          subscribed = true;
        }
        await this.#catchUpOnce();
        this.#settleWaiting(waiting);
        backoffMs = FIRST_BACKOFF_MS;
      } catch (error) {
        const failure = error instanceof Error ? error : new Error(String(error));
        this.#settleWaiting(waiting, failure);
        this.#options.onError?.(failure);
        pauseMs = backoffMs * (0.5 + Math.random() / 2);
        backoffMs = Math.min(LONGEST_BACKOFF_MS, backoffMs * 2);
      }
      if (!this.#stopping) await this.#alarm.wait(pauseMs);
    }
    subscriber.disconnect();
  }

  /** Applies what there is until the lease is extended. */
  async #catchUpOnce(): Promise<void> {
    while (!this.#stopping) {
      if (this.#state === "loading") await this.#load();
      const sentAt = performance.now();
      this.#renewals += 1;
      const renewal = this.#renewals;
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
        renewal,
        this.#confirmedRenewal,
        this.#leaseMs,
        CHANGES_PER_PAGE,
        BYTES_PER_PAGE,
      );
      const [code, ...rest] = Array.isArray(reply) ? reply : [];
      switch (code) {
        case "current":
          this.#confirmedRenewal = renewal;
          this.#state = "following";
          if (!this.#stopping) this.#freshUntil = sentAt + this.#leaseMs;
          return;
        case "changes":
          this.#applyPage(rest.map(String));
          break;
        case "reload":
          await this.#startOver();
          break;
        case "empty":
          await this.#startOver();
          throw new Error("there is no complete snapshot");
        default:
          throw new UnexpectedReply("renew_lease", reply);
      }
      await nextTurn();
    }
  }

  #applyPage([reached, ...pairs]: string[]): void {
    const changes: SnapshotChange[] = [];
    for (let i = 0; i + 1 < pairs.length; i += 2) {
      changes.push({ name: pairs[i] ?? "", json: pairs[i + 1] || null });
    }
    this.#apply(changes);
    this.#applied = Number(reached);
  }

  #apply(changes: SnapshotChange[]): void {
    if (changes.length === 0) return;
    this.#options.onChanges(changes);
    for (const { name, json } of changes) {
      if (json === null) this.#known.delete(name);
      else this.#known.add(name);
    }
  }

  /** Everything from the start: whoever reads the copy meanwhile must not serve, so the lease goes first. */
  async #startOver(): Promise<void> {
    this.#freshUntil = 0;
    const hadLease = this.#confirmedRenewal > 0;
    this.#state = "loading";
    this.#confirmedRenewal = 0;
    if (hadLease) await this.#dropLease();
  }

  async #load(): Promise<void> {
    const [version, epoch, complete] = await this.#redis.mget(
      snapshotKeys.version,
      snapshotKeys.epoch,
      snapshotKeys.complete,
    );
    if (!epoch || complete !== epoch) throw new Error("there is no complete snapshot");
    const gone = new Set(this.#known);
    for await (const changes of readEntities(this.#redis, CHANGES_PER_PAGE)) {
      if (this.#stopping) return;
      this.#apply(changes);
      for (const { name } of changes) gone.delete(name);
    }
    const removals = [...gone].map((name) => ({ name, json: null }));
    for (let i = 0; i < removals.length; i += CHANGES_PER_PAGE) {
      this.#apply(removals.slice(i, i + CHANGES_PER_PAGE));
      await nextTurn();
    }
    this.#epoch = epoch;
    this.#applied = Number(version ?? 0);
    this.#state = "following";
  }

  async #dropLease(): Promise<void> {
    try {
      await this.#redis.hdel(snapshotKeys.leases, this.#instance);
    } catch {
      // The lease runs out by itself; dropping it only spares others the wait.
    }
  }

  #settleWaiting(waiting: { resolve: () => void; reject: (error: Error) => void }[], error?: Error): void {
    for (const { resolve, reject } of waiting) {
      if (error === undefined) resolve();
      else reject(error);
    }
  }
}
