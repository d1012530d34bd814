import type { TraceContext, Tracing, TracingOptions } from "./types.ts";

/** Undefined while tracing is off: every place that is traced checks this first, and OpenTelemetry is not loaded. */
export let tracing: Tracing | undefined;

/** Loads OpenTelemetry, which reads its further variables OTEL_… itself. Returns a function that exports the rest and ends tracing. */
export async function startTracing(options: TracingOptions): Promise<() => Promise<void>> {
  const { openTracing } = await import("./open-telemetry.ts");
  const opened = openTracing(options);
  tracing = opened;
  return async () => {
    tracing = undefined;
    await opened.close();
  };
}

/** Runs what several requests or jobs share in the trace of the first recorded one; its spans are linked to the others. */
export function inTraces<T>(parts: readonly { trace: TraceContext | undefined }[], work: () => T): T {
  if (tracing === undefined) return work();
  return tracing.resume(
    parts.map(({ trace }) => trace),
    work,
  );
}
