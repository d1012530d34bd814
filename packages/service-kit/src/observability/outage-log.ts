import type { Logger } from "./logger.ts";
import type { Metrics } from "./metrics.ts";
import { failingChecks, type ReadinessChecks } from "./readiness.ts";

const LOG_INTERVAL_MS = 10_000;
const ENDED_AFTER_MS = 2_000;

export interface OutageOptions {
  /** Texts of the lines while failures occur, and after them. */
  failing: string;
  recovered: string;
  /** Level of the lines while failures occur. Default: warn. */
  level?: "info" | "warn" | "error";
  /** Level of the first of them, for a condition that usually ends by itself. */
  firstLevel?: "info";
  /** Value of the field `notice`. */
  notices?: { failing: string; recovered: string };
  /** Name of the field with the number of failures. Default: failures. */
  countField?: string;
  /** A failure within this time after a success continues the outage. Default: 2 000. */
  endedAfterMs?: number;
  onChange?: (isUp: boolean) => void;
  /** Milliseconds of a monotonic clock. */
  nowMs?: () => number;
}

/**
 * Logs failures that may occur many times a second: the first one, then one in ten seconds, and the end, when nothing has
 * failed for a while after a success. Its two methods are bound, so they can be passed as callbacks.
 */
export class OutageLog {
  readonly #logger: Logger;
  readonly #options: OutageOptions;
  readonly #nowMs: () => number;
  /** Undefined: nothing fails. `logAtMs`: when the next line is due. */
  #outage: { beganMs: number; failures: number; logAtMs: number } | undefined;
  #ending: NodeJS.Timeout | undefined;

  constructor(logger: Logger, options: OutageOptions) {
    this.#logger = logger;
    this.#options = options;
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  /**
   * @param facts further fields of the line; `count`: number of failed items, such as the records of a job; `logger`: that
   * of a request
   */
  readonly failed = (
    err?: unknown,
    {
      count = 1,
      logger = this.#logger,
      ...facts
    }: { count?: number; logger?: Logger; [field: string]: unknown } = {},
  ): void => {
    clearTimeout(this.#ending);
    this.#ending = undefined;
    const nowMs = this.#nowMs();
    const isFirst = this.#outage === undefined;
    this.#outage ??= { beganMs: nowMs, failures: 0, logAtMs: nowMs };
    this.#outage.failures += count;
    if (isFirst) this.#options.onChange?.(false);
    if (nowMs < this.#outage.logAtMs) return;
    this.#outage.logAtMs = nowMs + LOG_INTERVAL_MS;
    const { failing, level = "warn", firstLevel = level, notices } = this.#options;
    const fields = { notice: notices?.failing, err, ...facts, ...this.#summary(nowMs) };
    logger[isFirst ? firstLevel : level](fields, failing);
  };

  readonly succeeded = (): void => {
    if (this.#outage === undefined || this.#ending !== undefined) return;
    const recoveredMs = this.#nowMs();
    const { endedAfterMs = ENDED_AFTER_MS } = this.#options;
    this.#ending = setTimeout(() => this.#end(recoveredMs), endedAfterMs).unref();
  };

  #end(recoveredMs: number): void {
    const { recovered, notices, onChange } = this.#options;
    this.#logger.info({ notice: notices?.recovered, ...this.#summary(recoveredMs) }, recovered);
    this.#outage = undefined;
    this.#ending = undefined;
    onChange?.(true);
  }

  /** All failures since the outage began, also those without a line, and its duration, rounded to tenths. */
  #summary(untilMs: number) {
    const { failures = 0, beganMs = untilMs } = this.#outage ?? {};
    return {
      [this.#options.countField ?? "failures"]: failures,
      outageSeconds: Math.round((untilMs - beganMs) / 100) / 10,
    };
  }
}

/**
 * Logs the connections of a process to Redis, by part, and shows them in `dependency_up`.
 * @param probes further dependencies by part: checked at each scrape
 */
export function createConnectionLogs(
  logger: Logger,
  metrics: Metrics,
  probes: ReadinessChecks = {},
): (part: string) => OutageLog {
  const up = metrics.gauge(
    "dependency_up",
    "Connections to Redis, by part: 1 works, 0 fails; Postgres: 1 takes writes within 2 s, 0 does not",
    ["part"],
    async (gauge) => {
      const failing = await failingChecks(probes);
      for (const part of Object.keys(probes)) gauge.set({ part }, failing.includes(part) ? 0 : 1);
    },
  );
  return (part) => {
    up.set({ part }, 1);
    return new OutageLog(logger.child({ part }), {
      failing: "redis unavailable",
      recovered: "redis recovered",
      onChange: (isUp) => up.set({ part }, isUp ? 1 : 0),
    });
  };
}

/** Logs that Redis belongs to another installation, which only an operator can change, and that it no longer does. */
export function createForeignRedisLog(logger: Logger): OutageLog {
  return new OutageLog(logger, {
    failing: "redis belongs to another installation",
    recovered: "redis belongs to this installation again",
    level: "error",
    notices: { failing: "foreign", recovered: "own" },
  });
}

/**
 * Logs failures as an outage or as a wait. A store that reports what it waits for is not unavailable.
 * @param isWait whether an error means that there is something to wait for
 */
export function logOutageOrWait(
  outage: OutageLog,
  wait: OutageLog,
  isWait: (error: Error) => boolean,
): { onError: (error: Error) => void; onSuccess: () => void } {
  return {
    onError: (error) => {
      if (!isWait(error)) return outage.failed(error);
      outage.succeeded();
      wait.failed();
    },
    onSuccess: () => {
      outage.succeeded();
      wait.succeeded();
    },
  };
}
