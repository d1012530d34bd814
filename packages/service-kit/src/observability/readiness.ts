const PROBE_TIMEOUT_MS = 2_000;

/** Named checks of what a service needs; a check throws, or rejects, when it is not there. */
export type ReadinessChecks = Record<string, () => unknown>;

export interface ReadinessReport {
  ready: boolean;
  /** By check: `ok`, or the reason of the failure. */
  checks: Record<string, string>;
}

/** Runs all checks concurrently; a check that takes longer than 2 s fails. */
export async function checkReadiness(checks: ReadinessChecks): Promise<ReadinessReport> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await outcomeOf(check)] as const),
  );
  return { ready: results.every(([, outcome]) => outcome === "ok"), checks: Object.fromEntries(results) };
}

export async function failingChecks(checks: ReadinessChecks): Promise<string[]> {
  const { checks: outcomes } = await checkReadiness(checks);
  return Object.entries(outcomes).flatMap(([name, outcome]) => (outcome === "ok" ? [] : [name]));
}

/**
 * The checks for unauthenticated callers: omits the reasons, which name hosts and versions, and never runs twice
 * concurrently, so that callers cannot keep the stores busy.
 */
export function publicReadiness(checks: ReadinessChecks): () => Promise<ReadinessReport> {
  let underWay: Promise<ReadinessReport> | undefined;
  const report = async () => {
    const { ready, checks: outcomes } = await checkReadiness(checks);
    const states = Object.entries(outcomes).map(([name, outcome]) => [
      name,
      outcome === "ok" ? "ok" : "unavailable",
    ]);
    return { ready, checks: Object.fromEntries(states) };
  };
  return () => {
    underWay ??= report().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}

async function outcomeOf(check: () => unknown): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve("no answer"), PROBE_TIMEOUT_MS);
  });
  try {
    return await Promise.race([
      Promise.resolve()
        .then(check)
        .then(() => "ok"),
      timeout,
    ]);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
  }
}
