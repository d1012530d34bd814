interface Run {
  hasBegun: boolean;
  done: Promise<void>;
}

/**
 * Runs tasks of a key one after another. All who ask before a run begins share it; who asks while one runs gets the next: the
 * running one may have passed already what they need.
 */
export class SharedRuns {
  /** The last run of each key. */
  readonly #last = new Map<string, Run>();

  run(key: string, task: () => Promise<void>): Promise<void> {
    const last = this.#last.get(key);
    if (last !== undefined && !last.hasBegun) return last.done;
    const next: Run = { hasBegun: false, done: Promise.resolve() };
    next.done = this.#runAfter(last, next, key, task);
    this.#last.set(key, next);
    return next.done;
  }

  async #runAfter(last: Run | undefined, next: Run, key: string, task: () => Promise<void>): Promise<void> {
    await last?.done.catch(() => undefined);
    next.hasBegun = true;
    try {
      await task();
    } finally {
      if (this.#last.get(key) === next) this.#last.delete(key);
    }
  }
}
