/** An impression that waits for its final answer. */
export interface OutboxEntry {
  match_id: string;
  campaign_id: string;
  creative_id: string;
  game_id: string;
  /** Unix milliseconds. The service bills a match for a day by default, for a week at most. */
  recorded_at_ms: number;
}

/** Where impressions wait. Implement it to keep them elsewhere. */
export interface Outbox {
  /** Maximum entries; beyond it the client accepts no new impression. */
  readonly capacity: number;
  /** Whether entries survive the process. */
  readonly isDurable: boolean;
  /** Entries of an earlier process, oldest first. Called once, before anything else. */
  load(): Promise<OutboxEntry[]>;
  /** Keeps the entry before it returns. Throws when it cannot. */
  add(entry: OutboxEntry): void;
  /** Forgets the entry: it has its final answer. Throws when it cannot. */
  remove(matchId: string): void;
  close(): void;
}

const DEFAULT_OUTBOX_CAPACITY = 10_000;

export function checkedCapacity(capacity: number = DEFAULT_OUTBOX_CAPACITY): number {
  if (Number.isSafeInteger(capacity) && capacity > 0) return capacity;
  throw new TypeError(`capacity must be a whole number above 0, not ${capacity}`);
}
