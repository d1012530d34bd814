import { setTimeout as sleep } from "node:timers/promises";

/** A running process. */
export interface Launched {
  pid: number;
  /** Settles when the process has ended, for any reason. */
  exited: Promise<void>;
  stop(): Promise<void>;
}

export interface SupervisedDefinition<T extends Launched> {
  name: string;
  /** Starts the process and resolves when it is ready. `attempt` counts from 0 since the last successful start. */
  launch(context: { previous: T | undefined; attempt: number; signal: AbortSignal }): Promise<T>;
  /** Called after a restart, and with `undefined` after a crash. */
  onChange(process: T | undefined): void;
  onFailedRestart(error: unknown): void;
}

/** A process that ran this long counts as healthy; its next crash is followed by an immediate restart. */
const HEALTHY_AFTER_MS = 10_000;
const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 10_000;

/**
 * Keeps one process running. idle → (start) → running → (crash) → pausing → running …; `stop` ends every state.
 * The first restart is immediate; repeated crashes lead to pauses that double up to 10 s.
 */
export class Supervised<T extends Launched> {
  readonly name: string;
  readonly #definition: SupervisedDefinition<T>;
  readonly #abort = new AbortController();
  #current: T | undefined;
  #last: T | undefined;
  /** The current start or restart; never rejects. */
  #starting: Promise<unknown> = Promise.resolve();
  #quickCrashes = 0;

  constructor(definition: SupervisedDefinition<T>) {
    this.name = definition.name;
    this.#definition = definition;
  }

  /** Undefined: not running. */
  get current(): T | undefined {
    return this.#current;
  }

  /** The current or the last process. */
  get last(): T | undefined {
    return this.#last;
  }

  /** The first start; the caller must report its failure. */
  async start(): Promise<T> {
    const launching = this.#launch(undefined, 0);
    this.#starting = launching.catch(() => undefined);
    const launched = await launching;
    this.#watch(launched);
    return launched;
  }

  /** Stops the process and any restart; does nothing when it is not running. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#starting;
    await this.#current?.stop();
    this.#current = undefined;
  }

  async #launch(previous: T | undefined, attempt: number): Promise<T> {
    const signal = this.#abort.signal;
    signal.throwIfAborted();
    const launched = await this.#definition.launch({ previous, attempt, signal });
    this.#current = launched;
    this.#last = launched;
    return launched;
  }

  #watch(launched: T): void {
    const startedMs = performance.now();
    void launched.exited.then(() => {
      if (this.#abort.signal.aborted) return;
      const wasHealthy = performance.now() - startedMs > HEALTHY_AFTER_MS;
      this.#quickCrashes = wasHealthy ? 0 : this.#quickCrashes + 1;
      this.#current = undefined;
      this.#definition.onChange(undefined);
      this.#starting = this.#restart(launched);
    });
  }

  async #restart(previous: T): Promise<void> {
    for (let attempt = 0; !this.#abort.signal.aborted; attempt += 1) {
      try {
        await sleep(this.#pauseMs(attempt), undefined, { signal: this.#abort.signal });
        const launched = await this.#launch(previous, attempt);
        this.#watch(launched);
        this.#definition.onChange(launched);
        return;
      } catch (error) {
        if (!this.#abort.signal.aborted) this.#definition.onFailedRestart(error);
      }
    }
  }

  #pauseMs(attempt: number): number {
    const failures = Math.max(0, this.#quickCrashes - 1) + attempt;
    return failures === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), MAX_PAUSE_MS);
  }
}
