import { isRedisAway } from "@diegetic/hot-state";
import { toHttpError } from "@diegetic/service-kit";

/** The status that an error is answered with. */
export function statusOfFailure(error: unknown): number {
  return toHttpError(error, isRedisAway).status;
}
