import { type Logger, OutageKinds } from "@diegetic/service-kit";

/** What a connection to an instance can come to: refused, cut, silent. None of it is a defect of the front. */
const CONNECTION_CODES = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH"]);

export type Tier = "management" | "match";

/** The supervisor has named no instance: all of them are starting, or have died. */
export class NoInstance extends Error {
  override name = "NoInstance";
}

/** Where the front tells what became of requests that it has forwarded. */
export interface RefusalLog {
  refused(tier: Tier, error: unknown): void;
  taken(tier: Tier): void;
}

/**
 * Tells which tier requests could not be forwarded to: at most one line a tier in ten seconds, with how many requests were
 * refused so far, and one when instances take them again. That an instance cannot be reached is told without a stack; anything
 * else with it, and in a line of its own.
 */
export function createRefusalLog(logger: Logger): RefusalLog {
  const logOf = (tier: Tier) =>
    new OutageKinds<unknown>(() => ({
      unavailable: ({ failures: refused, outageSeconds }, error) => {
        const cause = causeOf(error);
        const facts = { tier, refused, outageSeconds };
        if (cause === undefined) logger.warn({ ...facts, err: error }, "requests were not forwarded");
        else logger.warn({ ...facts, cause }, "no instance available");
      },
      recovered: ({ failures: refused, outageSeconds }) =>
        logger.info({ tier, refused, outageSeconds }, "instances recovered"),
    }));
  const logs = { management: logOf("management"), match: logOf("match") };
  return {
    refused: (tier, error) => logs[tier].failed(causeOf(error) === undefined ? "defect" : "away", error),
    taken: (tier) => logs[tier].succeeded(),
  };
}

/** Undefined: not a matter of instances that are unavailable. */
function causeOf(error: unknown): string | undefined {
  if (error instanceof NoInstance) return error.message;
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return code !== undefined && CONNECTION_CODES.has(code) ? code : undefined;
}
