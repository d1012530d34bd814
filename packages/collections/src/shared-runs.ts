interface Run<Result> {
  hasBegun: boolean;
  result: Promise<Result>;
}

/**
 * Runs tasks of a key one after another. All requests that arrive before a run begins share it; those that arrive during a run
 * share the next one, because the first may have passed already what they need.
 */
export class SharedRuns<Result> {
  readonly #longestWait: (() => Promise<unknown>) | undefined;
  /** The last run of each key. */
  readonly #last = new Map<string, Run<Result>>();

  /**
   * @param longestWait when it resolves, a run begins beside the one before it, so that one which hangs holds up no others.
   *   Default: never
   */
  constructor(longestWait?: () => Promise<unknown>) {
    this.#longestWait = longestWait;
  }

  run(key: string, task: () => Promise<Result>): Promise<Result> {
    const last = this.#last.get(key);
    if (last !== undefined && !last.hasBegun) return last.result;
    const runNext = async () => {
      // Also before the first run, so that all who ask in this turn share it.
      await this.#endOf(last);
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

  async #endOf(run: Run<Result> | undefined): Promise<void> {
    const ended = run?.result.then(
      () => undefined,
      () => undefined,
    );
    if (ended === undefined || this.#longestWait === undefined) await ended;
    else await Promise.race([ended, this.#longestWait()]);
  }
}
