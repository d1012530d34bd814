import { ForeignRedis, type InstallationClaim, type QueueWorker } from "@diegetic/hot-state";
import { createForeignRedisLog, type Logger, type OutageLog } from "@diegetic/service-kit";

export interface OwnRedisParts {
  claim: Pick<InstallationClaim, "check">;
  workers: readonly Pick<QueueWorker, "pause" | "resume">[];
  logger: Logger;
}

/**
 * Lets billing work only while Redis belongs to this installation. Otherwise it skips passes and pauses the workers. They
 * start paused, and resume after the first check that finds this installation's claim. The sweeper and the writer of impressions
 * check the claim again before they write.
 */
export class OwnRedis {
  readonly #parts: OwnRedisParts;
  readonly #outage: OutageLog;
  /** Whether the last check found this installation's claim. */
  #isOwn = false;

  constructor(parts: OwnRedisParts) {
    this.#parts = parts;
    this.#outage = createForeignRedisLog(parts.logger);
  }

  /**
   * Checks once, and logs when Redis belongs to another installation. Rejects, without changing the workers, when a
   * store is unavailable.
   */
  async check(): Promise<void> {
    const { workers } = this.#parts;
    const refusal = await this.#refusal();
    if (refusal === undefined) {
      this.#outage.succeeded();
      for (const worker of workers) worker.resume();
    } else {
      this.#outage.failed(refusal);
      for (const worker of workers) worker.pause();
    }
  }

  /**
   * Wraps a pass that is skipped while Redis belongs to another installation, and rejects while Redis cannot be checked. Relies
   * on the last check, which a task repeats; checks itself unless that one found this installation's claim.
   */
  guard(pass: (signal: AbortSignal) => Promise<void>): (signal: AbortSignal) => Promise<void> {
    return async (signal) => {
      if (!this.#isOwn && (await this.#refusal()) !== undefined) return;
      try {
        await pass(signal);
      } catch (error) {
        // Found by a check before a write, or on a new connection: that of another node than the one that has the claim, too.
        if (!(error instanceof ForeignRedis)) throw error;
        this.#isOwn = false;
        this.#outage.failed(error);
      }
    };
  }

  async #refusal(): Promise<ForeignRedis | undefined> {
    try {
      await this.#parts.claim.check();
      this.#isOwn = true;
      return undefined;
    } catch (error) {
      this.#isOwn = false;
      if (error instanceof ForeignRedis) return error;
      throw error;
    }
  }
}
