import { hasStatus } from "./api-error.ts";

const MIN_WAIT_MS = 1_000;
/** How often a call that the rate limit refuses is retried: with a limit by the minute, one wait is normally enough. */
export const MAX_RETRIES = 5;

/**
 * Retries an attempt that a rate limit refuses, which has then done nothing, after the time that the answer names. Throws
 * the last refusal after MAX_RETRIES. The signal ends the waiting, not an attempt: what was sent has its result.
 */
export async function retryWhileRateLimited<Answer>(
  attempt: () => Promise<Answer>,
  signal: AbortSignal,
  wait: (ms: number, signal: AbortSignal) => Promise<void> = waitMs,
): Promise<Answer> {
  for (let retries = 0; ; retries += 1) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (!hasStatus(error, 429) || retries === MAX_RETRIES) throw error;
      await wait(Math.max(MIN_WAIT_MS, (error.retryAfterSeconds ?? 0) * 1_000), signal);
    }
  }
}

function waitMs(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    // It may have been aborted while the attempt was under way.
    if (signal.aborted) return reject(signal.reason);
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", end);
      resolve();
    }, ms);
    signal.addEventListener("abort", end, { once: true });
  });
}
