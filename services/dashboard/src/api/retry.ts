import { ApiError, LateAnswer } from "./api-error.ts";

/** Fewer than of changes: the page shows nothing else meanwhile. */
const MAX_READ_RETRIES = 2;
/** A person waits for the answer, and would send the request again. */
const MAX_CHANGE_RETRIES = 4;
const MAX_WAIT_SECONDS = 10;

/** What a short outage or a limit refuses is worth another try. */
function isTransient(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    !(error instanceof LateAnswer) &&
    [0, 429, 502, 503, 504].includes(error.status)
  );
}

/** The page says when to try again, instead of nothing until then. */
function isLongWait(error: unknown): boolean {
  return error instanceof ApiError && (error.retryAfterSeconds ?? 0) > MAX_WAIT_SECONDS;
}

/** The wait that the answer names; without one, longer with each failure. */
function retryDelayMs(failures: number, error: unknown): number {
  const seconds = error instanceof ApiError ? error.retryAfterSeconds : undefined;
  return seconds === undefined ? 500 * 2 ** failures : Math.min(seconds, MAX_WAIT_SECONDS) * 1_000;
}

/** For TanStack Query: reads are repeated after any short outage. */
export const retryReads = {
  retry: (failures: number, error: unknown) =>
    failures < MAX_READ_RETRIES && isTransient(error) && !isLongWait(error),
  retryDelay: retryDelayMs,
};

/**
 * For TanStack Query, for requests that do no harm when they are sent twice (a second match only holds money until it lapses):
 * they are repeated where the answer asks for it, as a match instance's does while it catches up with a change. Any other failure
 * is shown at once.
 */
export const retryChanges = {
  retry: (failures: number, error: unknown) =>
    failures < MAX_CHANGE_RETRIES &&
    error instanceof ApiError &&
    error.status === 503 &&
    error.retryAfterSeconds !== undefined,
  retryDelay: retryDelayMs,
};
