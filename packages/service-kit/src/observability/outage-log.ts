import { LineLimit } from "./line-limit.ts";
import type { Logger } from "./logger.ts";

/** A store that is away fails many times a second: each part's failures are logged once in ten seconds. */
export function createOutageLog(logger: Logger): (part: string) => (error: Error) => void {
  const lines = new LineLimit();
  return (part) => (error) =>
    lines.tell(part, (failures) =>
      logger.warn({ err: error, part, failures }, "Redis or what it should hold is not there"),
    );
}
