export interface EventuallyOptions {
  /** Default 60 000: only ends what hangs. */
  timeoutMs?: number;
  /** Milliseconds between two attempts. Default: 10 at first, and up to 50 after half a second, because attempts take processor time. */
  everyMs?: number;
}

const FIRST_PAUSE_MS = 10;
const LAST_PAUSE_MS = 50;
/** The pause grows to this part of the time waited. */
const PART_OF_WAIT = 0.1;

/**
 * Waits until the condition returns something other than false, null or undefined, and returns that. An error in the
 * condition counts as "not yet"; after the time limit, the last one is thrown.
 */
export async function eventually<T>(
  condition: () => T | Promise<T>,
  options: EventuallyOptions = {},
): Promise<Exclude<T, false | null | undefined>> {
  const { timeoutMs = 60_000, everyMs } = options;
  const startedMs = performance.now();
  for (;;) {
    let last: unknown;
    try {
      const value = await condition();
      if (value !== false && value !== null && value !== undefined) {
        return value as Exclude<T, false | null | undefined>;
      }
      last = value;
    } catch (error) {
      last = error;
    }
    const waitedMs = performance.now() - startedMs;
    if (waitedMs > timeoutMs) {
      throw new Error(`not within ${timeoutMs} ms: ${condition}`, { cause: last });
    }
    const pauseMs = everyMs ?? Math.min(Math.max(waitedMs * PART_OF_WAIT, FIRST_PAUSE_MS), LAST_PAUSE_MS);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Resolves when no UTC day begins or ends within `minutes`, for tests whose money belongs to one day. */
export async function awayFromMidnight(minutes: number): Promise<void> {
  const dayIn = (offset: number) => new Date(Date.now() + offset * 60_000).getUTCDate();
  await eventually(() => dayIn(-minutes) === dayIn(minutes), {
    timeoutMs: (2 * minutes + 1) * 60_000,
    everyMs: 1_000,
  });
}
