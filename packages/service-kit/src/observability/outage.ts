const LOG_INTERVAL_MS = 10_000;
/** A failure within this time after a success continues the outage. */
export const ENDED_AFTER_MS = 2_000;

/** The fields of an outage log line. */
export interface OutageFacts {
  /** Failures since the outage began, including those without a line of their own. */
  failures: number;
  /** From the first failure until now, or until recovery; rounded to tenths. */
  outageSeconds: number;
}

/** A due log line. `began` and `lasts`: unavailable; `ended`: recovered, logged once. */
export interface OutageLine extends OutageFacts {
  kind: "began" | "lasts" | "ended";
}

/**
 * Decides when to log that something is unavailable, and when that it has recovered. Pure; times are milliseconds of any
 * monotonic clock.
 *
 * `up` → (failure: `began`) → `unavailable` → (success) → `recovering` → (no failure for two seconds: `ended`) → `up`.
 * A failure in `recovering` leads back to `unavailable` and continues the same outage. While unavailable, every failure
 * counts, and one in ten seconds is logged (`lasts`).
 */
export class Outage {
  #state: "up" | "unavailable" | "recovering" = "up";
  #failures = 0;
  #beganMs = 0;
  #recoveredMs = 0;
  #logAtMs = 0;

  get state(): "up" | "unavailable" | "recovering" {
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

  /** Returns when to call `ended`; undefined: there is no outage, or the time was returned already. */
  succeeded(nowMs: number): number | undefined {
    if (this.#state !== "unavailable") return undefined;
    this.#state = "recovering";
    this.#recoveredMs = nowMs;
    return nowMs + ENDED_AFTER_MS;
  }

  /** The line of the end of the outage, if it is over. */
  ended(nowMs: number): OutageLine | undefined {
    if (this.#state !== "recovering" || nowMs < this.#recoveredMs + ENDED_AFTER_MS) return undefined;
    this.#state = "up";
    return this.#line("ended", this.#recoveredMs);
  }

  #line(kind: OutageLine["kind"], untilMs: number): OutageLine {
    const outageSeconds = Math.round((untilMs - this.#beganMs) / 100) / 10;
    return { kind, failures: this.#failures, outageSeconds };
  }
}
