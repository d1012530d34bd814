import { tracing } from "@diegetic/tracing";
import { type DestinationStream, type Logger, pino } from "pino";
import { type DescribeUnavailable, describeError } from "./describe-error.ts";

export type { Logger } from "pino";

/** Writes JSON lines to standard output, with the ids of a recorded trace. Redacts keys and other secrets in headers, settings and errors. */
export function createLogger(
  options: { service: string; instance: string; level: string; describeUnavailable?: DescribeUnavailable },
  destination?: DestinationStream,
): Logger {
  const settings = {
    level: options.level,
    base: { service: options.service, instance: options.instance, pid: process.pid },
    mixin: () => tracing?.logFields() ?? {},
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
  return pino(settings, destination ?? standardOutput());
}

/**
 * Synchronous, so that lines stay in order and none is lost when the process ends. A successful request writes none. A line that
 * cannot be written is dropped: a full disk ends no service.
 */
function standardOutput(): DestinationStream {
  const open = () =>
    pino.destination({ dest: 1, sync: true }).on("error", () => {
      // It would keep the line, and all later ones.
      output = open();
    });
  let output = open();
  return { write: (line) => output.write(line) };
}
