const LINE_EVERY_MS = 10_000;
/** Further kinds count as one. */
const MOST_KINDS = 100;

interface Kind {
  quietUntilMs: number;
  untold: number;
}

/** What many requests meet at the same time is told once in ten seconds for each kind of thing, with how many there were. */
export class LineLimit {
  readonly #nowMs: () => number;
  readonly #kinds = new Map<string, Kind>();

  /** @param nowMs milliseconds of any clock that never goes back */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** How many lines of this kind there were to write since the last one that was, this one included; 0: it is left out. */
  take(kind: string): number {
    const known = this.#kindOf(kind);
    known.untold += 1;
    if (this.#nowMs() < known.quietUntilMs) return 0;
    const told = known.untold;
    known.untold = 0;
    known.quietUntilMs = this.#nowMs() + LINE_EVERY_MS;
    return told;
  }

  #kindOf(name: string): Kind {
    const place = this.#kinds.has(name) || this.#kinds.size < MOST_KINDS ? name : "others";
    const known = this.#kinds.get(place) ?? { quietUntilMs: Number.NEGATIVE_INFINITY, untold: 0 };
    this.#kinds.set(place, known);
    return known;
  }
}
