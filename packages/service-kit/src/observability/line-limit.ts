const LINE_EVERY_MS = 10_000;

/** What many requests meet at the same time is told once in ten seconds, with how many there were. */
export class LineLimit {
  readonly #nowMs: () => number;
  #quietUntilMs = Number.NEGATIVE_INFINITY;
  #untold = 0;

  /** @param nowMs milliseconds of any clock that never goes back */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** How many lines there were to write since the last one that was, this one included; 0: this one is left out. */
  take(): number {
    this.#untold += 1;
    if (this.#nowMs() < this.#quietUntilMs) return 0;
    const told = this.#untold;
    this.#untold = 0;
    this.#quietUntilMs = this.#nowMs() + LINE_EVERY_MS;
    return told;
  }
}
