import { LineLimit, type Logger } from "@diegetic/service-kit";

/** What a connection to an instance can come to: refused, cut, silent. None of it is a defect of the front. */
const CONNECTION_CODES = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH"]);

export type Tier = "management" | "match";

/** The supervisor has named no instance: all of them are starting, or have died. */
export class NoInstance extends Error {
  override name = "NoInstance";
}

/**
 * Tells which tier requests could not be forwarded to: at most one line a tier in ten seconds, with how many requests were
 * refused since the last one. That an instance cannot be reached is told without a stack; anything else with it, and in a line
 * of its own.
 */
export function createRefusalLog(logger: Logger, everyMs?: number): (tier: Tier, error: unknown) => void {
  const lines = new LineLimit(everyMs);
  return (tier, error) => {
    const cause = causeOf(error);
    lines.tell(`${tier} ${cause ?? "defect"}`, (refused) => {
      if (cause === undefined) logger.warn({ tier, refused, err: error }, "requests were not forwarded");
      else logger.warn({ tier, refused, cause }, "no instance took them: requests were answered 503");
    });
  };
}

/** Undefined: not a matter of instances that are away. */
function causeOf(error: unknown): string | undefined {
  if (error instanceof NoInstance) return error.message;
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return code !== undefined && CONNECTION_CODES.has(code) ? code : undefined;
}
