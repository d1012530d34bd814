import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../observability/logger.ts";
import { OutageLog } from "../observability/outage-log.ts";

export interface RepeatingTaskOptions {
  name: string;
  /** Pause between the end of a run and the next one. */
  everyMs: number;
  /** Idempotent; ends early when `signal` says that the service stops. */
  run: (signal: AbortSignal) => Promise<void>;
  logger: Logger;
}

/**
 * Upper bound of the pause after failures for tasks that run more often; a task that runs less often retries sooner at
 * first.
 */
const MAX_PAUSE_AFTER_FAILURES_MS = 5_000;

/** Twice the usual pause after the first failure, then twice the pause before, up to the maximum. @param failures from 1 */
export function pauseAfterFailuresMs(everyMs: number, failures: number): number {
  const firstMs = Math.min(2 * everyMs, MAX_PAUSE_AFTER_FAILURES_MS);
  return Math.min(Math.max(everyMs, MAX_PAUSE_AFTER_FAILURES_MS), firstMs * 2 ** Math.min(failures - 1, 10));
}

/** Runs a task repeatedly, never twice at a time. Logs when failures begin, continue and end. */
export class RepeatingTask {
  readonly #options: RepeatingTaskOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: RepeatingTaskOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#loop();
  }

  /** Resolves when the current run has ended. The task cannot be started again. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #loop(): Promise<void> {
    const { name, everyMs, run, logger } = this.#options;
    const outage = new OutageLog(logger.child({ task: name }), {
      failing: "task failed",
      recovered: "task recovered",
    });
    const { signal } = this.#stopping;
    let failures = 0;
    while (!signal.aborted) {
      try {
        await run(signal);
        outage.succeeded();
        failures = 0;
      } catch (error) {
        // Its statements are cancelled when they take too long to stop.
        if (signal.aborted) break;
        failures += 1;
        outage.failed(error);
      }
      const pauseMs = failures === 0 ? everyMs : pauseAfterFailuresMs(everyMs, failures);
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
