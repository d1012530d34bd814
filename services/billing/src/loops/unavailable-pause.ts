import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseUnavailable, StatementTimeout } from "@diegetic/database";

const FIRST_PAUSE_MS = 50;
/** Short, because what has waited is written so much later once Postgres is back. */
const MAX_PAUSE_MS = 1_000;

/** Whoever writes one batch after the other rests here when Postgres is unavailable: for longer each time, a second at most. */
export class UnavailablePause {
  readonly #sleep: (ms: number) => Promise<unknown>;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(rest: (ms: number) => Promise<unknown> = sleep) {
    this.#sleep = rest;
  }

  /** Settles like the writing, after the pause when Postgres was unavailable. */
  async after(writing: Promise<void>): Promise<void> {
    try {
      await writing;
      this.#pauseMs = FIRST_PAUSE_MS;
    } catch (error) {
      if (error instanceof DatabaseUnavailable && !(error instanceof StatementTimeout)) {
        const pauseMs = this.#pauseMs;
        this.#pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
        await this.#sleep(pauseMs);
      }
      throw error;
    }
  }
}
