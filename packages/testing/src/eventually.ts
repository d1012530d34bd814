export interface EventuallyOptions {
  /** Default 60 000: only ends what hangs. */
  timeoutMs?: number;
  /** Milliseconds between two attempts. Default 10. */
  everyMs?: number;
}

/**
 * Waits until the condition returns something other than false, null or undefined, and returns that. An error in the
 * condition counts as "not yet"; after the time limit, the last one is thrown.
 */
export async function eventually<T>(
  condition: () => T | Promise<T>,
  options: EventuallyOptions = {},
): Promise<Exclude<T, false | null | undefined>> {
  const { timeoutMs = 60_000, everyMs = 10 } = options;
  const deadline = performance.now() + timeoutMs;
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
    if (performance.now() > deadline) {
      throw new Error(`not within ${timeoutMs} ms: ${condition}`, { cause: last });
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
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
