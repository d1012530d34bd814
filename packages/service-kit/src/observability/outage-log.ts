import type { Logger } from "./logger.ts";
import { ENDED_AFTER_MS, Outage, type OutageFacts } from "./outage.ts";

/** Maximum kinds with separate outages; further ones count as `others`. */
const MAX_KINDS = 100;

/** Writes the log lines of an outage. */
export interface OutageLines<Failure> {
  /** At the start of an outage, and once in ten seconds while it lasts. @param latest the latest failure */
  unavailable(facts: OutageFacts, latest: Failure, isNew: boolean): void;
  /** Once, at the end of the outage. */
  recovered(facts: OutageFacts): void;
}

/**
 * Logs that something is unavailable or has recovered (see `Outage`). Its two methods are bound, so they can be passed as
 * callbacks, and cost almost nothing while there is no outage.
 */
export class OutageLogger<Failure = Error> {
  readonly #lines: OutageLines<Failure>;
  readonly #nowMs: () => number;
  readonly #outage = new Outage();
  #timer: NodeJS.Timeout | undefined;

  constructor(lines: OutageLines<Failure>, nowMs = () => performance.now()) {
    this.#lines = lines;
    this.#nowMs = nowMs;
  }

  get isUp(): boolean {
    return this.#outage.state === "up";
  }

  /** @param count number of failed items, such as the records of a job */
  readonly failed = (latest: Failure, count = 1): void => {
    const line = this.#outage.failed(this.#nowMs(), count);
    if (line === undefined) return;
    const { kind, ...facts } = line;
    this.#lines.unavailable(facts, latest, kind === "began");
  };

  readonly succeeded = (): void => {
    if (this.#outage.succeeded(this.#nowMs()) === undefined) return;
    this.#logEndLater();
  };

  #logEndLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#logEnd(), ENDED_AFTER_MS).unref();
  }

  #logEnd(): void {
    const line = this.#outage.ended(this.#nowMs());
    if (line !== undefined) {
      const { kind: _, ...facts } = line;
      this.#lines.recovered(facts);
    } else if (this.#outage.state === "recovering") {
      // A timer can fire slightly early by another clock.
      this.#logEndLater();
    }
  }
}

/** Logs outages of several kinds separately, with the same lines. */
export class OutageKinds<Failure> {
  readonly #linesOf: (kind: string) => OutageLines<Failure>;
  readonly #loggers = new Map<string, OutageLogger<Failure>>();

  constructor(linesOf: (kind: string) => OutageLines<Failure>) {
    this.#linesOf = linesOf;
  }

  failed(kind: string, latest: Failure, count = 1): void {
    if (!this.#loggers.has(kind) && this.#loggers.size >= MAX_KINDS) this.#dropRecovered();
    const key = this.#loggers.has(kind) || this.#loggers.size < MAX_KINDS ? kind : "others";
    let outageLogger = this.#loggers.get(key);
    if (outageLogger === undefined) {
      outageLogger = new OutageLogger(this.#linesOf(key));
      this.#loggers.set(key, outageLogger);
    }
    outageLogger.failed(latest, count);
  }

  /** @param concerns selects the kinds that succeeded; default: all */
  succeeded(concerns: (kind: string) => boolean = () => true): void {
    for (const [kind, outageLogger] of this.#loggers)
      if (!outageLogger.isUp && concerns(kind)) outageLogger.succeeded();
  }

  #dropRecovered(): void {
    for (const [kind, outageLogger] of this.#loggers) if (outageLogger.isUp) this.#loggers.delete(kind);
  }
}

/** Logs that Redis belongs to another installation, which only an operator can change, and that it no longer does. */
export function createForeignRedisLog(logger: Logger): OutageLogger<unknown> {
  return new OutageLogger({
    unavailable: (facts, error) =>
      logger.error({ notice: "foreign", err: error, ...facts }, "redis belongs to another installation"),
    recovered: (facts) =>
      logger.info({ notice: "own", ...facts }, "redis belongs to this installation again"),
  });
}

/** An unavailable store fails many times a second: logs one line in ten seconds for each part, and one after recovery. */
export function createOutageLog(logger: Logger): (part: string) => OutageLogger {
  return (part) =>
    new OutageLogger({
      unavailable: (facts, error) => logger.warn({ err: error, part, ...facts }, "redis unavailable"),
      recovered: (facts) => logger.info({ part, ...facts }, "redis recovered"),
    });
}
