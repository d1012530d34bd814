import { HttpError } from "@diegetic/contracts";

/** Of all accounts: each keeps a connection to Postgres busy for up to ten seconds. */
export const MAX_RUNNING_REPORTS = 2;
/** Of one account that run or wait. */
const MAX_REPORTS = 4;
/** Longer than a report may run, so that an account gets its turn although two others always have reports. */
const MAX_WAIT_MS = 15_000;
const RETRY_AFTER_SECONDS = 1;

/** Runs reports on impressions: at most one of an account at a time, and accounts take turns. */
export class ReportQueue {
  readonly #maxWaitMs: number;
  /** Waiting reports by account, in the order of turns. */
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #running = new Set<string>();

  /** @param options.maxWaitMs default: 15 s */
  constructor({ maxWaitMs = MAX_WAIT_MS } = {}) {
    this.#maxWaitMs = maxWaitMs;
  }

  /** Throws 429 when the account has four reports that run or wait, and when its turn does not come in time. */
  async run<T>(accountId: string, report: () => Promise<T>): Promise<T> {
    const waiting = this.#waiting.get(accountId)?.length ?? 0;
    if (waiting + Number(this.#running.has(accountId)) >= MAX_REPORTS) {
      throw tooManyReports(`The account has ${MAX_REPORTS} reports in progress: wait for one to end.`);
    }
    await this.#turn(accountId);
    try {
      return await report();
    } finally {
      this.#running.delete(accountId);
      this.#moveToEnd(accountId);
      this.#startNext();
    }
  }

  #turn(accountId: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#remove(accountId, start);
        reject(tooManyReports("Other reports are in progress: try again."));
      }, this.#maxWaitMs).unref();
      this.#waiting.set(accountId, [...(this.#waiting.get(accountId) ?? []), start]);
      this.#startNext();
    });
  }

  #startNext(): void {
    for (const [accountId, [start]] of this.#waiting) {
      if (this.#running.size >= MAX_RUNNING_REPORTS) return;
      if (start === undefined || this.#running.has(accountId)) continue;
      this.#remove(accountId, start);
      this.#running.add(accountId);
      start();
    }
  }

  #remove(accountId: string, start: () => void): void {
    const others = this.#waiting.get(accountId)?.filter((one) => one !== start) ?? [];
    if (others.length > 0) this.#waiting.set(accountId, others);
    else this.#waiting.delete(accountId);
  }

  /** After its turn, the account comes after all others. */
  #moveToEnd(accountId: string): void {
    const reports = this.#waiting.get(accountId);
    if (reports === undefined) return;
    this.#waiting.delete(accountId);
    this.#waiting.set(accountId, reports);
  }
}

function tooManyReports(sentence: string): HttpError {
  return new HttpError(429, sentence, { "Retry-After": String(RETRY_AFTER_SECONDS) });
}
