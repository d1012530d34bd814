const TOLD_EVERY_MS = 10_000;
/** What fails again within this time was not back. */
export const SETTLED_AFTER_MS = 2_000;

/** What a line tells of an outage. */
export interface OutageFacts {
  /** Since it began, those included that had no line of their own. */
  failures: number;
  /** From the first failure until now, or until it was back; to the tenth. */
  awaySeconds: number;
}

/** A line that is due. `began` and `lasts`: it is away; `ended`: it is back, which is told once. */
export interface OutageLine extends OutageFacts {
  kind: "began" | "lasts" | "ended";
}

/**
 * When it is told that something is away, and when that it is back. Pure: times are milliseconds of any clock that does not go back.
 *
 * `up` → (it fails: `began`) → `away` → (it works) → `returning` → (nothing fails for two seconds: `ended`) → `up`.
 * A failure leads from `returning` back to `away`: it is the same outage. While it is away every failure counts, and one in ten
 * seconds is told (`lasts`).
 */
export class Outage {
  #state: "up" | "away" | "returning" = "up";
  #failures = 0;
  #beganMs = 0;
  #backMs = 0;
  #tellAtMs = 0;

  get state(): "up" | "away" | "returning" {
    return this.#state;
  }

  failed(nowMs: number, failures = 1): OutageLine | undefined {
    if (this.#state === "up") {
      this.#state = "away";
      this.#failures = failures;
      this.#beganMs = nowMs;
      this.#tellAtMs = nowMs + TOLD_EVERY_MS;
      return this.#line("began", nowMs);
    }
    this.#state = "away";
    this.#failures += failures;
    if (nowMs < this.#tellAtMs) return undefined;
    this.#tellAtMs = nowMs + TOLD_EVERY_MS;
    return this.#line("lasts", nowMs);
  }

  /** Answers when to ask `settled`; undefined: there is nothing to ask for, or it was answered already. */
  works(nowMs: number): number | undefined {
    if (this.#state !== "away") return undefined;
    this.#state = "returning";
    this.#backMs = nowMs;
    return nowMs + SETTLED_AFTER_MS;
  }

  /** The end of the outage, when it is over. */
  settled(nowMs: number): OutageLine | undefined {
    if (this.#state !== "returning" || nowMs < this.#backMs + SETTLED_AFTER_MS) return undefined;
    this.#state = "up";
    return this.#line("ended", this.#backMs);
  }

  #line(kind: OutageLine["kind"], untilMs: number): OutageLine {
    const awaySeconds = Math.round((untilMs - this.#beganMs) / 100) / 10;
    return { kind, failures: this.#failures, awaySeconds };
  }
}
