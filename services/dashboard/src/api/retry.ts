import { ApiError } from "./api-error.ts";

/** Of a read: its page shows a skeleton meanwhile. */
const MAX_READ_RETRIES = 2;
/** Of a request that somebody waits for, and would only send again. */
const MAX_CHANGE_RETRIES = 4;
const MAX_WAIT_SECONDS = 10;

/** What a short outage or a limit refuses is worth another try. */
function isTransient(error: unknown): boolean {
  return error instanceof ApiError && [0, 429, 502, 503, 504].includes(error.status);
}

/** The wait that the answer names; without one, longer with each failure. */
function retryDelayMs(failures: number, error: unknown): number {
  const seconds = error instanceof ApiError ? error.retryAfterSeconds : undefined;
  return seconds === undefined ? 500 * 2 ** failures : Math.min(seconds, MAX_WAIT_SECONDS) * 1_000;
}

/** For TanStack Query: reads are repeated after any short outage. */
export const retryReads = {
  retry: (failures: number, error: unknown) => failures < MAX_READ_RETRIES && isTransient(error),
  retryDelay: retryDelayMs,
};

/**
 * For TanStack Query: requests that may be sent twice are repeated where the answer asks for it, as a match instance's does
 * while it catches up with a change. A longer outage, or a rate limit, is for people to know of.
 */
export const retryChanges = {
  retry: (failures: number, error: unknown) =>
    failures < MAX_CHANGE_RETRIES &&
    error instanceof ApiError &&
    error.status === 503 &&
    error.retryAfterSeconds !== undefined,
  retryDelay: retryDelayMs,
};
