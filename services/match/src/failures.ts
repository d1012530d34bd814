import type { HttpError } from "@diegetic/contracts";
import {
  type GameOfAccount,
  isRedisUnavailable,
  LeaseExpired,
  type ServingOperation,
  type TrafficRecorder,
} from "@diegetic/hot-state";
import { toHttpError, unavailable } from "@diegetic/service-kit";

/** 503 while this instance does not know that its snapshot is current. */
export function outdated(cause?: unknown): HttpError {
  return unavailable("The match tier is not up to date: try again.", 1, { cause });
}

/**
 * Counts a failed request of a game. Returns the error to answer with: a lease may expire between the decision of a request and
 * the script that carries it out.
 */
export function countFailure(
  { traffic, nowMs }: { traffic: Pick<TrafficRecorder, "gameRefusal">; nowMs: () => number },
  game: GameOfAccount,
  operation: ServingOperation,
  thrown: unknown,
): unknown {
  const error = thrown instanceof LeaseExpired ? outdated(thrown) : thrown;
  traffic.gameRefusal(game, operation, toHttpError(error, isRedisUnavailable).status, nowMs());
  return error;
}
