/** The outcome for a campaign in a group. */
export type GroupOutcome =
  /** Published: resolves when it is in force everywhere, rejects when it is not. */
  | { inForce: Promise<void> }
  /** Publishing it alone would fail in the same way. */
  | { error: unknown };

interface Waiting {
  outcome: Promise<GroupOutcome | undefined>;
  resolve: (outcome: GroupOutcome | undefined) => void;
}

/** Maximum campaigns per group: their rows are locked together. */
const MAX_GROUP = 100;

/**
 * Gathers campaigns that change during a publication, and publishes them together: one lock, one snapshot command and
 * one wait for many changes. A change joins a group only before the group reads its row.
 */
export class PublicationGroups {
  readonly #publishTogether: (ids: readonly string[]) => Promise<ReadonlyMap<string, GroupOutcome>>;
  /** By campaign: further changes before the read wait for the same publication. */
  readonly #waiting = new Map<string, Waiting>();
  #isRunning = false;

  /** @param publishTogether omits campaigns that must be published alone; rejects when that applies to all */
  constructor(publishTogether: (ids: readonly string[]) => Promise<ReadonlyMap<string, GroupOutcome>>) {
    this.#publishTogether = publishTogether;
  }

  /** Undefined: the campaign must be published alone. */
  add(campaignId: string): Promise<GroupOutcome | undefined> {
    const known = this.#waiting.get(campaignId);
    if (known !== undefined) return known.outcome;
    let resolve: Waiting["resolve"] = () => undefined;
    const outcome = new Promise<GroupOutcome | undefined>((settle) => {
      resolve = settle;
    });
    this.#waiting.set(campaignId, { outcome, resolve });
    if (!this.#isRunning) void this.#run();
    return outcome;
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.size > 0) {
      const group = [...this.#waiting].slice(0, MAX_GROUP);
      for (const [id] of group) this.#waiting.delete(id);
      const outcomes = await this.#publishTogether(group.map(([id]) => id)).catch(() => undefined);
      for (const [id, { resolve }] of group) resolve(outcomes?.get(id));
    }
    this.#isRunning = false;
  }
}
