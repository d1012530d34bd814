import { openCollector } from "@diegetic/testing/collector";
import { startTracing, tracing } from "@diegetic/tracing";
import { expect, it } from "@jest/globals";
import { type GroupOutcome, PublicationGroups } from "./publication-groups.ts";

it("publishes a group in the trace of its own request, not of the one that it waited for", async () => {
  const collector = await openCollector();
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = collector.url;
  const stop = await startTracing({
    serviceName: "management",
    instanceName: "management",
    sampler: "always_on",
    samplerRatio: 1,
    onExport: () => undefined,
  });
  const released: (() => void)[] = [];
  const groups = new PublicationGroups(([id = ""]) => {
    const publish = () =>
      new Promise<Map<string, GroupOutcome>>((resolve) => {
        released.push(() => resolve(new Map([[id, { inForce: Promise.resolve() }]])));
      });
    return tracing?.child({ name: `publishes ${id}`, kind: "client", attributes: {} }, publish) ?? publish();
  }, 60_000);
  const change = (id: string) =>
    tracing?.root({ name: `changes ${id}`, kind: "server", attributes: {} }, [], () => groups.add(id));

  const changes = [change("a"), change("b")];
  released[0]?.();
  await changes[0];
  released[1]?.();
  await changes[1];
  await stop();
  delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  collector.close();

  const span = (name: string) => collector.spans.find((one) => one.name === name);
  for (const id of ["a", "b"]) {
    expect(span(`publishes ${id}`)?.parentSpanId).toBe(span(`changes ${id}`)?.spanId ?? "no such span");
  }
});
