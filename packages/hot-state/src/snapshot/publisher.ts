import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { chunks } from "@diegetic/collections";
import type { RedisConnection } from "../connection.ts";
import { snapshotKeys } from "../keys.ts";
import { defineScript, type ScriptCall } from "../script.ts";
import { NotPropagatedError, SNAPSHOT_LEASE_MS, SnapshotLostError } from "./lease.ts";

/** One entity to publish; `name` from the contracts' `entityName`. */
export interface SnapshotEntry {
  name: string;
  /** The row's version in Postgres: an older one never replaces a newer one. A removal has a version, too. */
  rowVersion: number;
  /** The entity as JSON; null removes it. */
  json: string | null;
}

/** A removed entity, with the last version of its row. */
export type RemovedEntity = Omit<SnapshotEntry, "json">;

export interface SnapshotPublisherOptions {
  /** Length of the followers' leases. Default: SNAPSHOT_LEASE_MS. */
  leaseMs?: number | undefined;
}

/** The state of the snapshot in a reply. */
interface Seen {
  epoch: string;
  version: number;
}

const ENTRIES_PER_CALL = 200;
const CHARACTERS_PER_CALL = 1_000_000;
const MAX_NAME_LENGTH = 512;
const FIRST_POLL_MS = 1;
const MAX_POLL_MS = 20;

/**
 * Writes the snapshot that match instances follow.
 *
 * Followers do not serve before `rebuild` has published everything once, nor after Redis was restarted, promoted or
 * lost the snapshot. Callers check `needsRebuild` at start and regularly, and rebuild.
 */
export class SnapshotPublisher {
  readonly #leaseMs: number;
  readonly #publishScript: ScriptCall;
  readonly #completeScript: ScriptCall;
  readonly #behindScript: ScriptCall;
  readonly #readScript: ScriptCall;
  readonly #forgetScript: ScriptCall;
  #seen: Seen = { epoch: "", version: 0 };
  #wentBackwards = false;

  constructor(redis: RedisConnection, options: SnapshotPublisherOptions = {}) {
    this.#leaseMs = options.leaseMs ?? SNAPSHOT_LEASE_MS;
    this.#publishScript = defineScript(redis, "publish_snapshot", 6);
    this.#completeScript = defineScript(redis, "complete_snapshot", 4);
    this.#behindScript = defineScript(redis, "leases_behind", 4);
    this.#readScript = defineScript(redis, "read_snapshot", 3);
    this.#forgetScript = defineScript(redis, "forget_entities", 5);
  }

  /**
   * Publishes changes and wakes the followers. Idempotent: older rows are skipped. Returns the version for
   * `awaitPropagation`.
   */
  async publish(entries: readonly SnapshotEntry[]): Promise<number> {
    return (await this.#publish(entries)).version;
  }

  /**
   * Forgets entities that were removed long ago and whose rows will be deleted; otherwise the snapshot grows with every entity
   * that ever existed. Keeps what a follower may still need. Returns the names of which nothing is left: their rows may go.
   */
  async forget(entities: readonly RemovedEntity[]): Promise<ReadonlySet<string>> {
    const forgotten = new Set<string>();
    for (const some of chunks(entities, ENTRIES_PER_CALL)) {
      const reply = await this.#forgetScript(
        snapshotKeys.version,
        snapshotKeys.entities,
        snapshotKeys.rowVersions,
        snapshotKeys.log,
        snapshotKeys.leases,
        ...some.flatMap(({ name, rowVersion }) => [name, rowVersion]),
      );
      for (const name of reply.texts()) forgotten.add(name);
    }
    return forgotten;
  }

  /**
   * Publishes everything, page by page, then opens the snapshot to followers. Concurrent `publish` calls are allowed.
   * Throws SnapshotLostError when Redis loses the snapshot meanwhile: start again.
   */
  async rebuild(
    pages: AsyncIterable<readonly SnapshotEntry[]> | Iterable<readonly SnapshotEntry[]>,
  ): Promise<number> {
    const { replicationId } = await this.#read();
    const first = await this.#publish([]);
    let last = first;
    for await (const page of pages) {
      const published = await this.#publish(page);
      if (published.epoch !== first.epoch || published.version < last.version) {
        throw new SnapshotLostError("the snapshot was lost while it was rebuilt");
      }
      last = published;
    }
    const reply = await this.#completeScript(
      snapshotKeys.version,
      snapshotKeys.epoch,
      snapshotKeys.complete,
      snapshotKeys.leases,
      first.epoch,
      last.version,
      snapshotKeys.changed,
      this.#leaseMs,
      replicationId,
    );
    if (reply.code(0, ["complete", "lost"]) === "lost")
      throw new SnapshotLostError("the snapshot was lost while it was rebuilt");
    this.#seen = last;
    this.#wentBackwards = false;
    return last.version;
  }

  /**
   * Waits until no follower can serve the state before the version: each has applied it, or its lease has expired.
   * Throws NotPropagatedError after `timeoutMs`, SnapshotLostError when Redis lost the version, and Redis' errors.
   */
  async awaitPropagation(version: number, timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    let pollMs = FIRST_POLL_MS;
    for (;;) {
      const reply = await this.#behindScript(
        snapshotKeys.version,
        snapshotKeys.leases,
        snapshotKeys.epoch,
        snapshotKeys.complete,
        version,
        this.#leaseMs,
      );
      const code = reply.code(0, ["propagated", "behind", "lost"]);
      if (code === "propagated") return;
      if (code === "lost") throw new SnapshotLostError(`the snapshot no longer has version ${version}`);
      if (performance.now() + pollMs > deadline) {
        throw new NotPropagatedError(`version ${version} was not applied everywhere within ${timeoutMs} ms`);
      }
      await sleep(pollMs);
      pollMs = Math.min(MAX_POLL_MS, pollMs * 1.5);
    }
  }

  /** `awaitPropagation` of all that is published by now. */
  async awaitPublished(timeoutMs: number): Promise<void> {
    const { version } = await this.#read();
    await this.awaitPropagation(version, timeoutMs);
  }

  /**
   * Whether the snapshot is incomplete: never rebuilt, flushed, older than this publisher has seen, or not rebuilt
   * since the server started or was promoted.
   */
  async needsRebuild(): Promise<boolean> {
    const before = this.#seen;
    const { version, epoch, complete } = await this.#read();
    if (!complete) return true;
    this.#see({ epoch, version }, before);
    return this.#wentBackwards;
  }

  async #read(): Promise<{ version: number; epoch: string; complete: boolean; replicationId: string }> {
    const reply = await this.#readScript(snapshotKeys.version, snapshotKeys.epoch, snapshotKeys.complete);
    const complete = reply.code(2, ["0", "1"]) === "1";
    return { version: reply.integer(0), epoch: reply.text(1), complete, replicationId: reply.text(3) };
  }

  async #publish(entries: readonly SnapshotEntry[]): Promise<Seen> {
    const before = this.#seen;
    let last: Seen | undefined;
    for (const chunk of chunksOf(entries)) {
      const published = await this.#publishScript(
        snapshotKeys.version,
        snapshotKeys.epoch,
        snapshotKeys.entities,
        snapshotKeys.rowVersions,
        snapshotKeys.log,
        snapshotKeys.leases,
        randomUUID(),
        snapshotKeys.changed,
        this.#leaseMs,
        ...chunk,
      );
      last = { version: published.integer(0), epoch: published.text(1) };
    }
    if (last === undefined) throw new Error("nothing was sent to publish_snapshot");
    this.#see(last, before);
    return last;
  }

  /** @param before what was seen when the call was sent: replies of concurrent calls are handled in any order */
  #see(found: Seen, before: Seen): void {
    if (found.epoch === before.epoch && found.version < before.version) this.#wentBackwards = true;
    else if (found.epoch !== this.#seen.epoch || found.version > this.#seen.version) this.#seen = found;
  }
}

/** Script arguments in bounded chunks; one empty chunk when there are no entries. */
function* chunksOf(entries: readonly SnapshotEntry[]): Generator<(string | number)[]> {
  let chunk: (string | number)[] = [];
  let characters = 0;
  let yielded = false;
  for (const { name, rowVersion, json } of entries) {
    if (name === "" || name.length > MAX_NAME_LENGTH || json === "" || !Number.isSafeInteger(rowVersion)) {
      throw new RangeError(
        `snapshot entry "${name}" needs a name of 1 to ${MAX_NAME_LENGTH} characters, JSON and a version`,
      );
    }
    const size = name.length + (json?.length ?? 0);
    if (
      chunk.length >= ENTRIES_PER_CALL * 3 ||
      (chunk.length > 0 && characters + size > CHARACTERS_PER_CALL)
    ) {
      yield chunk;
      yielded = true;
      chunk = [];
      characters = 0;
    }
    chunk.push(name, rowVersion, json ?? "");
    characters += size;
  }
  if (chunk.length > 0 || !yielded) yield chunk;
}
