/** What one read of a wallet's outbox found. */
export interface OutboxView {
  records: number;
  overdue: number;
  /** When the oldest overdue record was committed, Unix milliseconds. */
  oldestOverdueMs: number | null;
}

const MAX_WALLETS = 10_000;

/** The overdue records of all wallets when last seen, summed up for the metrics. */
export class Backlog {
  readonly #forgetAfterMs: number;
  readonly #seen = new Map<string, { overdue: number; oldestMs: number; seenAtMs: number }>();

  /** @param forgetAfterMs older views are dropped: another instance visits that wallet by then */
  constructor(forgetAfterMs: number) {
    this.#forgetAfterMs = forgetAfterMs;
  }

  record(walletId: string, { overdue, oldestOverdueMs }: OutboxView, nowMs: number): void {
    this.#seen.delete(walletId);
    if (oldestOverdueMs === null || this.#seen.size >= MAX_WALLETS) return;
    this.#seen.set(walletId, { overdue, oldestMs: oldestOverdueMs, seenAtMs: nowMs });
  }

  summary(nowMs: number): { overdueRecords: number; oldestSeconds: number } {
    let overdueRecords = 0;
    let oldestMs = nowMs;
    for (const [walletId, view] of this.#seen) {
      if (view.seenAtMs < nowMs - this.#forgetAfterMs) {
        this.#seen.delete(walletId);
        continue;
      }
      overdueRecords += view.overdue;
      oldestMs = Math.min(oldestMs, view.oldestMs);
    }
    return { overdueRecords, oldestSeconds: (nowMs - oldestMs) / 1_000 };
  }
}
