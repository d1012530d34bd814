/** Short, because the end of any hold can change it. */
const REMEMBER_MS = 250;
const MAX_ACCOUNTS = 10_000;
const MAX_CAMPAIGNS_PER_ACCOUNT = 100;
const NONE: readonly string[] = [];

/**
 * The campaigns recently refused to a developer account because its open holds use up its share of them
 * (docs/behaviour.md#open-holds-of-one-developer). Its requests skip them briefly, so that they do not use up the attempts;
 * other accounts are not affected. Forgetting one costs a reservation.
 */
export class ShareRefusals {
  /** By account and campaign: the end of the refusal in Unix milliseconds. */
  readonly #untilMs = new Map<string, Map<string, number>>();

  remember(accountId: string, campaignId: string, nowMs: number): void {
    const known = this.#untilMs.get(accountId) ?? new Map<string, number>();
    known.set(campaignId, nowMs + REMEMBER_MS);
    if (known.size > MAX_CAMPAIGNS_PER_ACCOUNT) dropFirst(known);
    this.#untilMs.set(accountId, known);
    if (this.#untilMs.size > MAX_ACCOUNTS) dropFirst(this.#untilMs);
  }

  of(accountId: string, nowMs: number): readonly string[] {
    const known = this.#untilMs.get(accountId);
    if (known === undefined) return NONE;
    for (const [campaignId, untilMs] of known) {
      const isOver = untilMs <= nowMs || untilMs > nowMs + REMEMBER_MS;
      if (isOver) known.delete(campaignId);
    }
    if (known.size === 0) this.#untilMs.delete(accountId);
    return known.size === 0 ? NONE : [...known.keys()];
  }
}

function dropFirst(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
}
