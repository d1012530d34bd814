const LOG_INTERVAL_MS = 10_000;
/** What fails again within this time was not back. */
export const SETTLED_AFTER_MS = 2_000;

/** What a line tells of an outage. */
export interface OutageFacts {
  /** Since it began, those included that had no line of their own. */
  failures: number;
  /** From the first failure until now, or until it was back; to the tenth. */
  outageSeconds: number;
}

/** A line that is due. `began` and `lasts`: it is unavailable; `ended`: it is back, which is logged once. */
export interface OutageLine extends OutageFacts {
  kind: "began" | "lasts" | "ended";
}

/**
 * When it is logged that something is unavailable, and when that it is back. Pure: times are milliseconds of any clock that does not go back.
 *
 * `up` → (it fails: `began`) → `away` → (it works) → `returning` → (nothing fails for two seconds: `ended`) → `up`.
 * A failure leads from `returning` back to `away`: it is the same outage. While it is unavailable every failure counts, and one in ten
 * seconds is logged (`lasts`).
 */
export class Outage {
  #state: "up" | "unavailable" | "returning" = "up";
  #failures = 0;
  #beganMs = 0;
  #backMs = 0;
  #logAtMs = 0;

  get state(): "up" | "unavailable" | "returning" {
    return this.#state;
  }

  failed(nowMs: number, failures = 1): OutageLine | undefined {
    if (this.#state === "up") {
      this.#state = "unavailable";
      this.#failures = failures;
      this.#beganMs = nowMs;
      this.#logAtMs = nowMs + LOG_INTERVAL_MS;
      return this.#line("began", nowMs);
    }
    this.#state = "unavailable";
    this.#failures += failures;
    if (nowMs < this.#logAtMs) return undefined;
    this.#logAtMs = nowMs + LOG_INTERVAL_MS;
    return this.#line("lasts", nowMs);
  }

  /** Answers when to ask `settled`; undefined: there is nothing to ask for, or it was answered already. */
  succeeded(nowMs: number): number | undefined {
    if (this.#state !== "unavailable") return undefined;
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
    const outageSeconds = Math.round((untilMs - this.#beganMs) / 100) / 10;
    return { kind, failures: this.#failures, outageSeconds };
  }
}
