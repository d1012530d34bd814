import type { HttpError } from "@diegetic/contracts";
import { isRedisUnavailable, LeaseExpired } from "@diegetic/hot-state";
import { toHttpError, unavailable } from "@diegetic/service-kit";

/** 503 while this instance does not know that its snapshot is current. */
export function outdated(cause?: unknown): HttpError {
  return unavailable("The match tier is not up to date: try again.", 1, { cause });
}

/** A lease may expire between the decision of a request and the script that carries it out. */
export function answerableFailure(error: unknown): unknown {
  return error instanceof LeaseExpired ? outdated(error) : error;
}

export function statusOfFailure(error: unknown): number {
  return toHttpError(answerableFailure(error), isRedisUnavailable).status;
}
