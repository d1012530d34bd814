import { type BillingWorker, ForeignRedis, type InstallationClaim } from "@diegetic/hot-state";
import { createForeignRedisLog, type Logger, type OutageLog } from "@diegetic/service-kit";

export interface OwnRedisParts {
  claim: Pick<InstallationClaim, "check" | "expectOwn">;
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
    const refusal = await refusalBy(() => this.#parts.claim.check());
    if (refusal === undefined) {
      this.#outage.succeeded();
      for (const worker of workers) worker.resume();
    } else {
      this.#outage.failed(refusal);
      for (const worker of workers) worker.pause();
    }
  }

  /** Wraps a pass that is skipped while Redis belongs to another installation, as of the last check. */
  guard(pass: (signal: AbortSignal) => Promise<void>): (signal: AbortSignal) => Promise<void> {
    return async (signal) => {
      if ((await refusalBy(() => this.#parts.claim.expectOwn())) === undefined) await pass(signal);
    };
  }
}

async function refusalBy(check: () => Promise<void>): Promise<ForeignRedis | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    if (error instanceof ForeignRedis) return error;
    throw error;
  }
}
