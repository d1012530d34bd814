import { isRedisUnavailable, LeaseExpired } from "@diegetic/hot-state";
import { toHttpError } from "@diegetic/service-kit";

/** Whether an error says that nothing can be served now: it is answered 503. */
export function isStoreUnavailable(error: unknown): boolean {
  return isRedisUnavailable(error) || error instanceof LeaseExpired;
}

/** The status that an error is answered with. */
export function statusOfFailure(error: unknown): number {
  return toHttpError(error, isStoreUnavailable).status;
}
