import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseAway, StatementTimeout } from "@diegetic/database";

const FIRST_PAUSE_MS = 50;
/** Short, because what has waited is written so much later once Postgres is back. */
const LONGEST_PAUSE_MS = 1_000;

/** Whoever writes one batch after the other rests here when Postgres is away: for longer each time, a second at most. */
export class AwayPause {
  readonly #sleep: (ms: number) => Promise<unknown>;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(rest: (ms: number) => Promise<unknown> = sleep) {
    this.#sleep = rest;
  }

  /** Settles like the writing, after the pause when Postgres was away. */
  async after(writing: Promise<void>): Promise<void> {
    try {
      await writing;
      this.#pauseMs = FIRST_PAUSE_MS;
    } catch (error) {
      if (error instanceof DatabaseAway && !(error instanceof StatementTimeout)) {
        const pauseMs = this.#pauseMs;
        this.#pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
        await this.#sleep(pauseMs);
      }
      throw error;
    }
  }
}
