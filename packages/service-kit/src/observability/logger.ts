import { type DestinationStream, type Logger, pino } from "pino";
import { type DescribeUnavailable, describeError } from "./describe-error.ts";

export type { Logger } from "pino";

/** JSON lines on standard output. Keys and other secrets are cut out of headers, settings and errors. */
export function createLogger(
  options: { service: string; instance: string; level: string; describeUnavailable?: DescribeUnavailable },
  destination?: DestinationStream,
): Logger {
  const settings = {
    level: options.level,
    base: { service: options.service, instance: options.instance, pid: process.pid },
    serializers: { err: (error: unknown) => describeError(error, options.describeUnavailable) },
    redact: {
      paths: [
        "authorization",
        "*.authorization",
        "headers.authorization",
        "*.headers.authorization",
        "cookie",
        "*.cookie",
        "headers.cookie",
        "*.headers.cookie",
        "secrets",
      ],
      censor: "[redacted]",
    },
  };
  // Synchronous: lines stay in order and none is lost when the process ends. A healthy request writes none.
  return pino(settings, destination ?? pino.destination({ dest: 1, sync: true }));
}
