import { DatabaseUnavailable, StatementTimeout } from "@diegetic/database";

/**
 * Whether the queue has delivered nothing for so long that it is not relied on. While Postgres is unavailable its jobs have to wait,
 * and once Postgres is back they get as long to come again.
 */
export class QueueSilence {
  readonly #afterMs: number;
  readonly #nowMs: () => number;
  #sinceMs: number;

  /** @param nowMs a clock that never goes back */
  constructor(afterMs: number, nowMs: () => number) {
    this.#afterMs = afterMs;
    this.#nowMs = nowMs;
    this.#sinceMs = nowMs();
  }

  /** The queue has delivered a job. */
  end(): void {
    this.#sinceMs = this.#nowMs();
  }

  isSilent(): boolean {
    return this.#nowMs() - this.#sinceMs > this.#afterMs;
  }

  /** Settles like the writing, and learns from it whether Postgres is unavailable; rows that others have locked do not say so. */
  async watch(writing: Promise<void>): Promise<void> {
    try {
      await writing;
    } catch (error) {
      if (error instanceof DatabaseUnavailable && !(error instanceof StatementTimeout)) this.end();
      throw error;
    }
  }
}
