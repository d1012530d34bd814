import { HttpError, INTERNAL_ERROR_SENTENCE, UNAVAILABLE_SENTENCE } from "@diegetic/contracts";

export const badRequest = (detail: string) => new HttpError(400, detail);
export const notFound = (detail: string) => new HttpError(404, detail);

/** A store is unavailable, or the snapshot of this instance is too old to serve. */
export const unavailable = (detail: string, retryAfterSeconds = 1, options?: { cause?: unknown }) =>
  new HttpError(503, detail, { "Retry-After": String(retryAfterSeconds) }, options);

/** Too many concurrent requests. Visible in the metrics, therefore not logged. */
export class Overloaded extends HttpError {
  constructor() {
    super(503, "Too many requests are being answered at this moment: try again.", { "Retry-After": "1" });
  }
}

/**
 * Maps errors to responses. `isStoreUnavailable` recognises errors of an unavailable Redis or Postgres. Unknown errors
 * become a 500 that does not reveal the cause.
 */
export function toHttpError(error: unknown, isStoreUnavailable: (error: unknown) => boolean): HttpError {
  if (error instanceof HttpError) return error;
  if (isStoreUnavailable(error)) return unavailable(UNAVAILABLE_SENTENCE);
  return new HttpError(500, INTERNAL_ERROR_SENTENCE);
}
