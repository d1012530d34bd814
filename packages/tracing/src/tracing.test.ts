import { type Collector, openCollector } from "@diegetic/testing/collector";
import { eventually } from "@diegetic/testing/eventually";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { startTracing, tracing } from "./tracing.ts";
import type { SamplerName } from "./types.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";
const SAMPLED = `00-${TRACE}-${SPAN}-01`;

describe("tracing", () => {
  let collector: Collector;
  let stop: () => Promise<void>;
  let failures: (Error | undefined)[];

  beforeEach(async () => {
    collector = await openCollector();
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = collector.url;
    failures = [];
  });
  afterEach(() => {
    delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
    collector.close();
  });

  const start = async (sampler: SamplerName = "parentbased_always_on", samplerRatio = 1) => {
    stop = await startTracing({
      serviceName: "tested",
      instanceName: "tested-1",
      sampler,
      samplerRatio,
      onExport: (error) => {
        failures.push(error);
        expect(tracing?.logFields()).toBeUndefined();
      },
    });
    if (tracing === undefined) throw new Error("tracing is off");
    return tracing;
  };
  const server = (name: string) => ({ name, kind: "server" as const, attributes: { name } });
  const client = (name: string) => ({ name, kind: "client" as const, attributes: {} });
  const named = (name: string) => collector.spans.filter((span) => span.name === name);

  it("continues the trace of the caller, and makes children of what runs inside", async () => {
    const on = await start();
    await on.root(server("request"), [SAMPLED], async () => {
      on.annotate({ status: 200 });
      await on.child(client("outer"), () => on.child(client("inner"), async () => undefined));
    });
    await stop();
    const [request, outer, inner] = ["request", "outer", "inner"].map((name) => named(name)[0]);
    expect(request).toMatchObject({
      service: "tested",
      traceId: TRACE,
      parentSpanId: SPAN,
      attributes: { name: "request", status: 200 },
      isFailed: false,
    });
    expect(outer).toMatchObject({ traceId: TRACE, parentSpanId: request?.spanId });
    expect(inner).toMatchObject({ traceId: TRACE, parentSpanId: outer?.spanId });
    expect(failures).toEqual([undefined]);
    expect(tracing).toBeUndefined();
  });

  it.each([
    "",
    "nonsense",
    `00-${"0".repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `ff-${TRACE}-${SPAN}-01`,
  ])("begins a trace of its own where the caller sends %p", async (sent) => {
    const on = await start();
    await on.root(server("request"), [sent], async () => undefined);
    await stop();
    expect(named("request")).toHaveLength(1);
    expect(named("request")[0]?.traceId).not.toBe(TRACE);
    expect(named("request")[0]?.parentSpanId ?? "").toBe("");
  });

  it("links a span of several traces to the others", async () => {
    const on = await start();
    const other = `00-${"1".repeat(32)}-${"2".repeat(16)}-01`;
    await on.root(server("job"), [SAMPLED, other], async () => undefined);
    await stop();
    expect(named("job")).toMatchObject([{ traceId: TRACE, parentSpanId: SPAN, links: ["2".repeat(16)] }]);
  });

  it("resumes the first of some contexts, and links what runs there to the others", async () => {
    const on = await start();
    await on.root(server("first"), [], async () => {
      const first = on.current();
      await on.root(server("second"), [], async () => {
        const contexts = [undefined, first, on.current()];
        await on.resume(contexts, () => on.child(client("batch"), async () => undefined));
      });
    });
    await stop();
    expect(named("batch")).toMatchObject([
      { parentSpanId: named("first")[0]?.spanId, links: [named("second")[0]?.spanId] },
    ]);
  });

  it("records no span and names no trace for work that outlives its request", async () => {
    const on = await start();
    let later: Promise<object | undefined> | undefined;
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    await on.root(server("request"), [SAMPLED], async () => {
      expect(on.logFields()).toMatchObject({ trace_id: TRACE });
      later = ended.then(() => on.child(client("later"), async () => on.logFields()));
    });
    end();
    const fields = await later;
    await stop();
    expect(named("request")).toHaveLength(1);
    expect(named("later")).toEqual([]);
    expect(fields).toBeUndefined();
  });

  it("records the class of an error, never its message", async () => {
    const on = await start();
    const failing = on.root(server("request"), [], async () => {
      throw new RangeError("player-7");
    });
    await expect(failing).rejects.toThrow("player-7");
    await stop();
    expect(named("request")).toMatchObject([{ attributes: { "error.type": "RangeError" }, isFailed: true }]);
    expect(collector.received.join()).not.toContain("player-7");
  });

  it.each<[SamplerName, number, string[], number]>([
    ["always_on", 1, [`00-${TRACE}-${SPAN}-00`], 1],
    ["always_off", 1, [SAMPLED], 0],
    ["traceidratio", 0, [SAMPLED], 0],
    ["parentbased_always_on", 1, [`00-${TRACE}-${SPAN}-00`], 0],
    ["parentbased_always_off", 1, [], 0],
    ["parentbased_always_off", 1, [SAMPLED], 1],
    ["parentbased_traceidratio", 0, [], 0],
    ["parentbased_traceidratio", 1, [], 1],
  ])("applies the sampler %s with ratio %d", async (sampler, ratio, traceparents, recorded) => {
    const on = await start(sampler, ratio);
    await on.root(server("request"), traceparents, async () => {
      expect(on.traceparent() === undefined).toBe(recorded === 0);
      expect(on.logFields() === undefined).toBe(recorded === 0);
      await on.child(client("child"), async () => undefined);
    });
    await stop();
    expect(named("request")).toHaveLength(recorded);
    expect(named("child")).toHaveLength(recorded);
  });

  it("reports an unreachable collector, and still ends", async () => {
    collector.close();
    process.env.OTEL_EXPORTER_OTLP_TIMEOUT = "500";
    const on = await start();
    delete process.env.OTEL_EXPORTER_OTLP_TIMEOUT;
    await on.root(server("request"), [], async () => undefined);
    await stop();
    expect(failures).toEqual([expect.any(Error)]);
  });

  it("ends although the collector never answers", async () => {
    collector.fallSilent();
    process.env.OTEL_EXPORTER_OTLP_TIMEOUT = "6000";
    const on = await start();
    delete process.env.OTEL_EXPORTER_OTLP_TIMEOUT;
    await on.root(server("request"), [], async () => undefined);
    await stop();
    expect(failures).toEqual([]);
    await eventually(() => failures.length === 1); // Nothing of the export outlives the test.
  });
});
