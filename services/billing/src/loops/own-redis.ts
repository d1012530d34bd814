import { type BillingWorker, ForeignRedis, type InstallationClaim } from "@diegetic/hot-state";
import { createForeignRedisLog, type Logger, type OutageLog } from "@diegetic/service-kit";

export interface OwnRedisParts {
  claim: Pick<InstallationClaim, "check">;
  workers: readonly Pick<BillingWorker, "pause" | "resume">[];
  logger: Logger;
}

/**
 * Lets billing work only while Redis belongs to this installation. Otherwise it skips passes and pauses the workers. They
 * start paused, and resume after the first check that finds this installation's claim. Writers check the claim
 * again before they write.
 */
export class OwnRedis {
  readonly #parts: OwnRedisParts;
  readonly #outage: OutageLog;

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
    if (await this.#isOwn((error) => this.#outage.failed(error))) {
      this.#outage.succeeded();
      for (const worker of workers) worker.resume();
    } else for (const worker of workers) worker.pause();
  }

  /** Wraps a pass that is skipped while Redis belongs to another installation. */
  guard(pass: (signal: AbortSignal) => Promise<void>): (signal: AbortSignal) => Promise<void> {
    return async (signal) => {
      if (await this.#isOwn()) await pass(signal);
    };
  }

  async #isOwn(onForeign: (error: ForeignRedis) => void = () => {}): Promise<boolean> {
    try {
      await this.#parts.claim.check();
      return true;
    } catch (error) {
      if (!(error instanceof ForeignRedis)) throw error;
      onForeign(error);
      return false;
    }
  }
}
