import { isDatabaseUnreachable } from "@diegetic/database";

/**
 * Detects a queue that has jobs and delivers none to this process. While Postgres is unavailable, jobs have to wait, so the
 * time starts again when Postgres recovers.
 */
export class QueueSilence {
  readonly #afterMs: number;
  readonly #nowMs: () => number;
  #sinceMs: number;
  #checkedAtMs: number;

  /** @param nowMs a monotonic clock */
  constructor(afterMs: number, nowMs: () => number) {
    this.#afterMs = afterMs;
    this.#nowMs = nowMs;
    this.#sinceMs = nowMs();
    this.#checkedAtMs = this.#sinceMs;
  }

  /** Call when the queue has delivered a job. */
  end(): void {
    this.#sinceMs = this.#nowMs();
  }

  /** Call repeatedly while records wait: nothing is known of the time between distant calls. @param depth of the queue */
  isSilent(depth: number): boolean {
    const nowMs = this.#nowMs();
    if (depth === 0 || nowMs - this.#checkedAtMs > this.#afterMs) this.end();
    this.#checkedAtMs = nowMs;
    return nowMs - this.#sinceMs > this.#afterMs;
  }

  /** Settles like `writing`. Restarts the time when Postgres is unreachable. */
  async watch(writing: Promise<void>): Promise<void> {
    try {
      await writing;
    } catch (error) {
      if (isDatabaseUnreachable(error)) this.end();
      throw error;
    }
  }
}
