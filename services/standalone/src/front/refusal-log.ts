import type { Logger } from "@diegetic/service-kit";

const LINE_EVERY_MS = 10_000;

/** What a connection to an instance can come to: refused, cut, silent. None of it is a defect of the front. */
const CONNECTION_CODES = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH"]);

export type Tier = "management" | "match";

/** The supervisor has named no instance: all of them are starting, or have died. */
export class NoInstance extends Error {
  override name = "NoInstance";
}

/**
 * Tells which tier requests could not be forwarded to: at most one line a tier in ten seconds, with how many requests were
 * refused since the last one. That an instance cannot be reached is told without a stack; anything else with it.
 */
export function createRefusalLog(
  logger: Logger,
  nowMs: () => number = () => performance.now(),
): (tier: Tier, error: unknown) => void {
  const tiers = new Map<Tier, { refused: number; quietUntilMs: number }>();
  return (tier, error) => {
    const told = tiers.get(tier) ?? { refused: 0, quietUntilMs: Number.NEGATIVE_INFINITY };
    tiers.set(tier, told);
    told.refused += 1;
    if (nowMs() < told.quietUntilMs) return;
    const { refused } = told;
    told.refused = 0;
    told.quietUntilMs = nowMs() + LINE_EVERY_MS;
    const cause = causeOf(error);
    if (cause === undefined) logger.warn({ tier, refused, err: error }, "requests were not forwarded");
    else logger.warn({ tier, refused, cause }, "no instance can be reached: requests are answered 503");
  };
}

/** Undefined: not a matter of instances that are away. */
function causeOf(error: unknown): string | undefined {
  if (error instanceof NoInstance) return error.message;
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return code !== undefined && CONNECTION_CODES.has(code) ? code : undefined;
}
