import type { Logger } from "./logger.ts";
import { Outage, type OutageFacts, SETTLED_AFTER_MS } from "./outage.ts";

/** Further kinds that are unavailable at the same time count as one. */
const MAX_KINDS = 100;

/** How the lines of an outage are written. */
export interface OutageLines<Failure> {
  /** When it begins, and once in ten seconds while it lasts. @param latest the failure that is logged of */
  unavailable(facts: OutageFacts, latest: Failure, isNew: boolean): void;
  /** Once, when it is over. */
  recovered(facts: OutageFacts): void;
}

/**
 * The one way in which it is logged that something is unavailable, and that it is back (see `Outage`). Its two methods may be handed over as
 * they are, and cost next to nothing while all is well.
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

  /** @param count how many things have failed by this, such as the records of a job */
  readonly failed = (latest: Failure, count = 1): void => {
    const line = this.#outage.failed(this.#nowMs(), count);
    if (line === undefined) return;
    const { kind, ...facts } = line;
    this.#lines.unavailable(facts, latest, kind === "began");
  };

  readonly succeeded = (): void => {
    if (this.#outage.succeeded(this.#nowMs()) === undefined) return;
    this.#settleLater();
  };

  #settleLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#settle(), SETTLED_AFTER_MS).unref();
  }

  #settle(): void {
    const line = this.#outage.settled(this.#nowMs());
    if (line !== undefined) {
      const { kind: _, ...facts } = line;
      this.#lines.recovered(facts);
    } else if (this.#outage.state === "returning") {
      // A timer can be a moment early by another clock.
      this.#settleLater();
    }
  }
}

/** Outages of several kinds that have the same lines, each logged by itself. */
export class OutageKinds<Failure> {
  readonly #linesOf: (kind: string) => OutageLines<Failure>;
  readonly #loggers = new Map<string, OutageLogger<Failure>>();

  constructor(linesOf: (kind: string) => OutageLines<Failure>) {
    this.#linesOf = linesOf;
  }

  failed(kind: string, latest: Failure, count = 1): void {
    if (!this.#loggers.has(kind) && this.#loggers.size >= MAX_KINDS) this.#forgetWhatIsUp();
    const place = this.#loggers.has(kind) || this.#loggers.size < MAX_KINDS ? kind : "others";
    let outageLogger = this.#loggers.get(place);
    if (outageLogger === undefined) {
      outageLogger = new OutageLogger(this.#linesOf(place));
      this.#loggers.set(place, outageLogger);
    }
    outageLogger.failed(latest, count);
  }

  /** @param concerns the kinds that have worked; default: all */
  succeeded(concerns: (kind: string) => boolean = () => true): void {
    for (const [kind, outageLogger] of this.#loggers)
      if (!outageLogger.isUp && concerns(kind)) outageLogger.succeeded();
  }

  #forgetWhatIsUp(): void {
    for (const [kind, outageLogger] of this.#loggers) if (outageLogger.isUp) this.#loggers.delete(kind);
  }
}

/** That redis belongs to another installation, which only an operator can end, and that it is the own one again. */
export function createForeignRedisLog(logger: Logger): OutageLogger<unknown> {
  return new OutageLogger({
    unavailable: (facts, error) =>
      logger.error({ notice: "foreign", err: error, ...facts }, "redis belongs to another installation"),
    recovered: (facts) =>
      logger.info({ notice: "own", ...facts }, "redis belongs to this installation again"),
  });
}

/** A store that is unavailable fails many times a second: of each part's failures one line in ten seconds is logged, and one when it is back. */
export function createOutageLog(logger: Logger): (part: string) => OutageLogger {
  return (part) =>
    new OutageLogger({
      unavailable: (facts, error) => logger.warn({ err: error, part, ...facts }, "redis unavailable"),
      recovered: (facts) => logger.info({ part, ...facts }, "redis recovered"),
    });
}
