interface Run<Result> {
  hasBegun: boolean;
  result: Promise<Result>;
}

/**
 * Runs tasks of a key one after another. All who ask before a run begins share it; who asks while one runs gets the next: the
 * running one may have passed already what they need.
 */
export class SharedRuns<Result> {
  /** The last run of each key. */
  readonly #last = new Map<string, Run<Result>>();

  run(key: string, task: () => Promise<Result>): Promise<Result> {
    const last = this.#last.get(key);
    if (last !== undefined && !last.hasBegun) return last.result;
    const runNext = async () => {
      await last?.result.catch(() => undefined);
      next.hasBegun = true;
      try {
        return await task();
      } finally {
        if (this.#last.get(key) === next) this.#last.delete(key);
      }
    };
    const next: Run<Result> = { hasBegun: false, result: runNext() };
    this.#last.set(key, next);
    return next.result;
  }
}
