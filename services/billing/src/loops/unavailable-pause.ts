import { setTimeout as sleep } from "node:timers/promises";
import { isDatabaseUnreachable } from "@diegetic/database";

const FIRST_PAUSE_MS = 50;
/** Short, because it delays every record that waits when Postgres recovers. */
const MAX_PAUSE_MS = 1_000;

/** Pauses a batch writer while Postgres is unavailable: longer each time, at most one second. */
export class UnavailablePause {
  readonly #sleep: (ms: number) => Promise<unknown>;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(rest: (ms: number) => Promise<unknown> = sleep) {
    this.#sleep = rest;
  }

  /** Settles like `writing`, after the pause if Postgres was unavailable. */
  async after(writing: Promise<void>): Promise<void> {
    try {
      await writing;
      this.#pauseMs = FIRST_PAUSE_MS;
    } catch (error) {
      if (isDatabaseUnreachable(error)) {
        const pauseMs = this.#pauseMs;
        this.#pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
        await this.#sleep(pauseMs);
      }
      throw error;
    }
  }
}
