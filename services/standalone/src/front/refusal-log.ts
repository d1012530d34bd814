import { type Logger, OutageLog } from "@diegetic/service-kit";

/** Expected failures of connections to instances: refused, reset, timed out. */
const CONNECTION_CODES = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH"]);

export type Tier = "management" | "match";

/** The supervisor reports no live instance: all of them are starting or have crashed. */
export class NoInstance extends Error {
  override name = "NoInstance";
}

/** Receives the results of forwarded requests. */
export interface RefusalLog {
  refused(tier: Tier, error: unknown): void;
  forwarded(tier: Tier): void;
}

/**
 * Logs tiers to which requests could not be forwarded: at most one line per tier in ten seconds, with the number of refused
 * requests, and one after recovery. Logs unreachable instances without a stack, and other errors with a stack in a line of
 * their own.
 */
export function createRefusalLog(logger: Logger): RefusalLog {
  const logOf = (tier: Tier, failing: string) =>
    new OutageLog(logger.child({ tier }), {
      failing,
      recovered: "instances recovered",
      countField: "refused",
    });
  const logsOf = (failing: string) => ({
    management: logOf("management", failing),
    match: logOf("match", failing),
  });
  const unavailable = logsOf("no instance available");
  const defects = logsOf("requests were not forwarded");
  return {
    refused: (tier, error) => {
      const cause = causeOf(error);
      if (cause === undefined) defects[tier].failed(error);
      else unavailable[tier].failed(undefined, { cause });
    },
    forwarded: (tier) => {
      unavailable[tier].succeeded();
      defects[tier].succeeded();
    },
  };
}

/** Undefined: the error does not mean that an instance is unavailable. */
function causeOf(error: unknown): string | undefined {
  if (error instanceof NoInstance) return error.message;
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return code !== undefined && CONNECTION_CODES.has(code) ? code : undefined;
}
