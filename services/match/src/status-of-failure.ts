import { isRedisUnavailable, LeaseExpired } from "@diegetic/hot-state";
import { toHttpError } from "@diegetic/service-kit";

/** Whether an error means that nothing can be served now; such errors become 503. */
export function isStoreUnavailable(error: unknown): boolean {
  return isRedisUnavailable(error) || error instanceof LeaseExpired;
}

export function statusOfFailure(error: unknown): number {
  return toHttpError(error, isStoreUnavailable).status;
}
