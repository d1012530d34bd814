import { type Answer, serviceDetail, type TransportResponse } from "./transport.ts";

/** Upper bound of the first delay; doubles with each attempt. */
const FIRST_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 30_000;
/** A wrong `Retry-After` must not stop delivery for days. */
const MAX_RETRY_AFTER_MS = 3_600_000;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Repeating the request would get the same answer: 4xx, except a timeout and too many requests. Without the service's
 * `detail` it comes from something between, such as a proxy's page.
 */
export function isFinal(answer: Answer): boolean {
  const { status } = answer;
  const isRefusal = status >= 400 && status < 500 && status !== 408 && status !== 429;
  return isRefusal && serviceDetail(answer) !== undefined;
}

/**
 * No repetition can record the impression. After 401 and 403 another key may; after a 404 without the headers of rate
 * limits, which comes from outside the API's base path, the right address.
 */
export function isRejection(answer: Answer): boolean {
  const { status, headers } = answer;
  if (status === 401 || status === 403) return false;
  return isFinal(answer) && (status !== 404 || headers.get("x-ratelimit-limit") !== null);
}

/**
 * The delay before the next attempt: full jitter, after the milliseconds that `Retry-After` asks for. The jitter comes on
 * top so that clients with the same delay do not retry together.
 */
export function retryDelayMs(attempts: number, askedMs: number): number {
  const backoffMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (attempts - 1));
  return Math.round(askedMs + Math.random() * backoffMs);
}

/**
 * What `Retry-After` asks for, an hour at most: whole seconds, or a date such as `Sun, 06 Nov 1994 08:49:37 GMT`. 0 for
 * anything else, such as a date that does not exist.
 */
export function retryAfterMs(headers: TransportResponse["headers"] | undefined): number {
  const value = headers?.get("retry-after") ?? "";
  if (/^\d+$/.test(value)) return Math.min(MAX_RETRY_AFTER_MS, Number(value) * 1_000);
  const waitMs = isHttpDate(value) ? Date.parse(value) - Date.now() : 0;
  return waitMs > 0 ? Math.min(MAX_RETRY_AFTER_MS, waitMs) : 0;
}

/** `Date.parse` alone reads 31 Feb as 3 Mar. The day of the week is not compared with the date. */
function isHttpDate(value: string): boolean {
  const afterWeekday = "Sun, ".length;
  return (
    HTTP_DATE.test(value) && new Date(value).toUTCString().slice(afterWeekday) === value.slice(afterWeekday)
  );
}
