import { inTraces, type TraceContext, tracing } from "@diegetic/tracing";

/** The outcome for a campaign in a group. */
export type GroupOutcome =
  /** Published: resolves when it is in force everywhere, rejects when it is not. */
  | { inForce: Promise<void> }
  /** Publishing it alone would fail in the same way. */
  | { error: unknown };

interface Waiting {
  outcome: Promise<GroupOutcome | undefined>;
  resolve: (outcome: GroupOutcome | undefined) => void;
  trace: TraceContext | undefined;
}

type Group = readonly [campaignId: string, waiting: Waiting][];

/** Maximum campaigns per group: their rows are locked together. */
const MAX_GROUP = 100;
/** After this time the next group starts beside a stalled one: one unavailable store must not delay other advertisers. */
const STALLED_AFTER_MS = 100;
/** Each holds a connection to Postgres. */
const MAX_GROUPS_AT_ONCE = 3;

/**
 * Gathers campaigns that change during a publication, and publishes them together: one lock, one snapshot command and
 * one wait for many changes. A change joins a group only before the group reads its row.
 */
export class PublicationGroups {
  readonly #publishTogether: (ids: readonly string[]) => Promise<ReadonlyMap<string, GroupOutcome>>;
  readonly #stalledAfterMs: number;
  /** By campaign: further changes before the read wait for the same publication. */
  readonly #waiting = new Map<string, Waiting>();
  #running = 0;
  /** The group that the next one waits for. */
  #newest: Group | undefined;

  /** @param publishTogether omits campaigns that must be published alone; rejects when that applies to all */
  constructor(
    publishTogether: (ids: readonly string[]) => Promise<ReadonlyMap<string, GroupOutcome>>,
    stalledAfterMs = STALLED_AFTER_MS,
  ) {
    this.#publishTogether = publishTogether;
    this.#stalledAfterMs = stalledAfterMs;
  }

  /** Undefined: the campaign must be published alone. */
  add(campaignId: string): Promise<GroupOutcome | undefined> {
    const known = this.#waiting.get(campaignId);
    if (known !== undefined) return known.outcome;
    let resolve: Waiting["resolve"] = () => undefined;
    const outcome = new Promise<GroupOutcome | undefined>((settle) => {
      resolve = settle;
    });
    this.#waiting.set(campaignId, { outcome, resolve, trace: tracing?.current() });
    this.#startNext();
    return outcome;
  }

  #startNext(): void {
    if (this.#newest !== undefined || this.#running === MAX_GROUPS_AT_ONCE) return;
    const group = [...this.#waiting].slice(0, MAX_GROUP);
    if (group.length === 0) return;
    for (const [id] of group) this.#waiting.delete(id);
    void this.#run(group);
  }

  /** Never rejects. */
  async #run(group: Group): Promise<void> {
    this.#running += 1;
    this.#newest = group;
    const stalled = setTimeout(() => this.#startAfter(group), this.#stalledAfterMs);
    const publish = () => this.#publishTogether(group.map(([id]) => id));
    const requests = group.map(([, waiting]) => waiting);
    const outcomes = await inTraces(requests, publish).catch(() => undefined);
    clearTimeout(stalled);
    this.#running -= 1;
    for (const [id, { resolve }] of group) resolve(outcomes?.get(id));
    this.#startAfter(group);
  }

  #startAfter(group: Group): void {
    if (this.#newest === group) this.#newest = undefined;
    this.#startNext();
  }
}
