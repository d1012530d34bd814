import { startTracing } from "@diegetic/tracing";
import { type CollectedSpan, openCollector } from "./collector.ts";

/** Records every trace of this process until `stop`, which returns all spans. */
export async function recordTraces(): Promise<{ stop(): Promise<CollectedSpan[]> }> {
  const collector = await openCollector();
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = collector.url;
  const stopTracing = await startTracing({
    serviceName: "tested",
    instanceName: "tested-1",
    sampler: "always_on",
    samplerRatio: 1,
    onExport: () => undefined,
  });
  return {
    async stop() {
      await stopTracing();
      delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
      collector.close();
      return collector.spans;
    },
  };
}
