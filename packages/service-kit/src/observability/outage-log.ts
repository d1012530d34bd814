import type { Logger } from "./logger.ts";

const LOG_EVERY_MS = 10_000;

/** A store that is away fails many times a second: each part's failures are logged once in ten seconds. */
export function createOutageLog(logger: Logger): (part: string) => (error: Error) => void {
  return (part) => {
    let quietUntilMs = 0;
    return (error) => {
      if (performance.now() < quietUntilMs) return;
      quietUntilMs = performance.now() + LOG_EVERY_MS;
      logger.warn({ err: error, part }, "Redis or what it should hold is not there");
    };
  };
}
