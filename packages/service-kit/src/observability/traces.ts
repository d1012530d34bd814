import { startTracing } from "@diegetic/tracing";
import type { TracingSettings } from "../settings/tracing.ts";
import type { Logger } from "./logger.ts";
import { OutageLog } from "./outage-log.ts";

/** Starts tracing if an endpoint is set. Returns a function that exports the rest, within a limit. */
export async function startTraces(
  settings: TracingSettings & { instanceName: string },
  logger: Logger,
): Promise<() => Promise<void>> {
  if (settings.tracesEndpoint === undefined) return async () => undefined;
  const outage = new OutageLog(logger, {
    failing: "trace export unavailable",
    recovered: "trace export recovered",
  });
  return startTracing({
    serviceName: settings.tracesServiceName,
    instanceName: settings.instanceName,
    sampler: settings.tracesSampler,
    samplerRatio: settings.tracesSamplerRatio,
    onExport: (error) =>
      error === undefined ? outage.succeeded() : outage.failed(undefined, { reason: error.message }),
  });
}
