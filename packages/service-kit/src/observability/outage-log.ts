import type { Logger } from "./logger.ts";
import { Outage, type OutageFacts, SETTLED_AFTER_MS } from "./outage.ts";

/** Further kinds that are away at the same time count as one. */
const MOST_KINDS = 100;

/** How the lines of an outage are written. */
export interface OutageLines<Failure> {
  /** When it begins, and once in ten seconds while it lasts. @param latest the failure that is told of */
  away(facts: OutageFacts, latest: Failure, isNew: boolean): void;
  /** Once, when it is over. */
  back(facts: OutageFacts): void;
}

/**
 * The one way in which it is told that something is away, and that it is back (see `Outage`). Its two methods may be handed over as
 * they are, and cost next to nothing while all is well.
 */
export class OutageTeller<Failure = Error> {
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
    this.#lines.away(facts, latest, kind === "began");
  };

  readonly works = (): void => {
    if (this.#outage.works(this.#nowMs()) === undefined) return;
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
      this.#lines.back(facts);
    } else if (this.#outage.state === "returning") {
      // A timer can be a moment early by another clock.
      this.#settleLater();
    }
  }
}

/** Outages of several kinds that have the same lines, each told by itself. */
export class OutageKinds<Failure> {
  readonly #linesOf: (kind: string) => OutageLines<Failure>;
  readonly #tellers = new Map<string, OutageTeller<Failure>>();

  constructor(linesOf: (kind: string) => OutageLines<Failure>) {
    this.#linesOf = linesOf;
  }

  failed(kind: string, latest: Failure, count = 1): void {
    if (!this.#tellers.has(kind) && this.#tellers.size >= MOST_KINDS) this.#forgetWhatIsUp();
    const place = this.#tellers.has(kind) || this.#tellers.size < MOST_KINDS ? kind : "others";
    let teller = this.#tellers.get(place);
    if (teller === undefined) {
      teller = new OutageTeller(this.#linesOf(place));
      this.#tellers.set(place, teller);
    }
    teller.failed(latest, count);
  }

  /** @param concerns the kinds that have worked; default: all */
  works(concerns: (kind: string) => boolean = () => true): void {
    for (const [kind, teller] of this.#tellers) if (!teller.isUp && concerns(kind)) teller.works();
  }

  #forgetWhatIsUp(): void {
    for (const [kind, teller] of this.#tellers) if (teller.isUp) this.#tellers.delete(kind);
  }
}

/** That Redis is another installation's, which only an operator can end, and that it is the own one again. */
export function createForeignRedisLog(logger: Logger): OutageTeller<unknown> {
  return new OutageTeller({
    away: (facts, error) =>
      logger.error({ notice: "foreign", err: error, ...facts }, "Redis is another installation's"),
    back: (facts) => logger.info({ notice: "own", ...facts }, "Redis is this installation's again"),
  });
}

/** A store that is away fails many times a second: of each part's failures one line in ten seconds is logged, and one when it is back. */
export function createOutageLog(logger: Logger): (part: string) => OutageTeller {
  return (part) =>
    new OutageTeller({
      away: (facts, error) =>
        logger.warn({ err: error, part, ...facts }, "Redis or what it should hold is not there"),
      back: (facts) => logger.info({ part, ...facts }, "Redis is there again"),
    });
}
