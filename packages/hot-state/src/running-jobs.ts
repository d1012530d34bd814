/** Knows when the last job of a worker has ended. */
export class RunningJobs {
  readonly #running = new Set<Promise<unknown>>();
  #begun = 0;

  during<T>(job: Promise<T>): Promise<T> {
    this.#begun += 1;
    this.#running.add(job);
    return job.finally(() => this.#running.delete(job));
  }

  /** Resolves when no job is running, after a pause in which none began. */
  async idle(pause: () => Promise<void>): Promise<void> {
    let begun: number;
    do {
      begun = this.#begun;
      await Promise.allSettled(this.#running);
      await pause();
    } while (this.#begun > begun);
  }
}
