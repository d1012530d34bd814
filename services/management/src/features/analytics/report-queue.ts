import { HttpError } from "@diegetic/contracts";

/** Maximum reports of an account that run or wait. */
const MAX_REPORTS = 4;
const RETRY_AFTER_SECONDS = 1;

/**
 * Runs an account's reports on impressions one at a time, because each keeps a connection busy for up to ten seconds. Throws
 * 429 when four of the account run or wait.
 */
export class ReportQueue {
  /** By account: the number of its reports, and the end of the last one. */
  readonly #reports = new Map<string, { count: number; last: Promise<unknown> }>();

  async run<T>(accountId: string, report: () => Promise<T>): Promise<T> {
    const reports = this.#reports.get(accountId) ?? { count: 0, last: Promise.resolve() };
    if (reports.count >= MAX_REPORTS) {
      throw new HttpError(429, `The account has ${MAX_REPORTS} reports in progress: wait for one to end.`, {
        "Retry-After": String(RETRY_AFTER_SECONDS),
      });
    }
    const result = reports.last.then(report);
    reports.count += 1;
    reports.last = result.catch(() => undefined);
    this.#reports.set(accountId, reports);
    try {
      return await result;
    } finally {
      reports.count -= 1;
      if (reports.count === 0) this.#reports.delete(accountId);
    }
  }
}
