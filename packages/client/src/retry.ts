import { type Answer, serviceDetail, type TransportResponse } from "./transport.ts";

/** Upper bound of the first delay; doubles with each attempt. */
const FIRST_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 30_000;

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
 * The delay before the next attempt: full jitter, after what `Retry-After` asks for. The jitter comes on top so that
 * clients with the same delay do not retry together.
 */
export function retryDelayMs(attempts: number, headers: TransportResponse["headers"] | undefined): number {
  const backoffMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (attempts - 1));
  return Math.round(retryAfterMs(headers?.get("retry-after") ?? null) + Math.random() * backoffMs);
}

/** Seconds or an HTTP date; 0 for anything else. */
function retryAfterMs(value: string | null): number {
  if (value === null) return 0;
  const seconds = Number(value);
  const waitMs = Number.isNaN(seconds) ? Date.parse(value) - Date.now() : seconds * 1_000;
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : 0;
}
