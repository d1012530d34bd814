import { type BillingWorker, ForeignRedis, type InstallationClaim } from "@diegetic/hot-state";
import { createForeignRedisLog, type Logger, type OutageLogger } from "@diegetic/service-kit";

export interface OwnRedisParts {
  claim: Pick<InstallationClaim, "check">;
  worker: Pick<BillingWorker, "pause" | "resume">;
  logger: Logger;
}

/**
 * Lets billing work only while Redis is its own installation's. Passes are left out while it is another's; the worker, which
 * starts paused, takes jobs from the first look that finds the own claim until one that finds another's. What was read from
 * another's nevertheless is refused where it would be written.
 */
export class OwnRedis {
  readonly #parts: OwnRedisParts;
  readonly #outage: OutageLogger<unknown>;

  constructor(parts: OwnRedisParts) {
    this.#parts = parts;
    this.#outage = createForeignRedisLog(parts.logger);
  }

  /** Looks once, and tells when Redis is another's. Rejects when a store is unavailable, which changes nothing for the worker. */
  async look(): Promise<void> {
    const { worker } = this.#parts;
    if (await this.#isOwn((error) => this.#outage.failed(error))) {
      this.#outage.succeeded();
      worker.resume();
    } else worker.pause();
  }

  /** A pass that is left out while Redis is another's. */
  guard(pass: (signal: AbortSignal) => Promise<void>): (signal: AbortSignal) => Promise<void> {
    return async (signal) => {
      if (await this.#isOwn()) await pass(signal);
    };
  }

  async #isOwn(tell: (error: ForeignRedis) => void = () => {}): Promise<boolean> {
    try {
      await this.#parts.claim.check();
      return true;
    } catch (error) {
      if (!(error instanceof ForeignRedis)) throw error;
      tell(error);
      return false;
    }
  }
}
