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

export const DEFAULT_OUTBOX_CAPACITY = 10_000;
