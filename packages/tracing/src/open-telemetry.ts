import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { type ExportResult, ExportResultCode, parseTraceParent } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { SpanStart, TraceContext, TraceFields, Tracing, TracingOptions } from "./types.ts";

/** An unreachable collector must not delay the end of a process. */
const CLOSE_TIMEOUT_MS = 2_000;
/** The current span of each asynchronous call. */
const scopes = new AsyncLocalStorage<Scope | undefined>();
const KINDS = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER, client: SpanKind.CLIENT };

export function openTracing(options: TracingOptions): Tracing {
  const exporter = new ReportingExporter(new OTLPTraceExporter(), options.onExport);
  const provider = new TracerProvider({
    sampler: samplerOf(options),
    resource: defaultResource()
      .merge(detectResources({ detectors: [envDetector] }))
      .merge(
        resourceFromAttributes({
          "service.name": options.serviceName,
          "service.instance.id": options.instanceName,
        }),
      ),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  return new OpenTelemetryTracing(provider);
}

function samplerOf({ sampler, samplerRatio }: TracingOptions): Sampler {
  const root = sampler.endsWith("always_on")
    ? new AlwaysOnSampler()
    : sampler.endsWith("always_off")
      ? new AlwaysOffSampler()
      : new TraceIdRatioBasedSampler(samplerRatio);
  return sampler.startsWith("parentbased_") ? new ParentBasedSampler({ root }) : root;
}

/** The SDK itself reports failed exports only to its own log. */
class ReportingExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #onExport: TracingOptions["onExport"];

  constructor(exporter: SpanExporter, onExport: TracingOptions["onExport"]) {
    this.#exporter = exporter;
    this.#onExport = onExport;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#exporter.export(spans, (result) => {
      const { code, error } = result;
      const failure = code === ExportResultCode.SUCCESS ? undefined : (error ?? new Error("export failed"));
      // An export runs in the call whose span began the batch, but does not belong to it.
      scopes.run(undefined, () => this.#onExport(failure));
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }
}

/** A span with its children's place. */
class Scope implements TraceContext {
  readonly isTraceContext = true;
  readonly span: Span;
  /** Of new children. */
  readonly context: Context;
  readonly links: readonly Link[];
  /** What a request or job leaves behind, such as a timer, is no part of it after its end. */
  readonly root: { isRunning: boolean };

  constructor(span: Span, root: { isRunning: boolean }, links: readonly Link[] = []) {
    this.span = span;
    this.context = trace.setSpan(ROOT_CONTEXT, span);
    this.root = root;
    this.links = links;
  }
}

class OpenTelemetryTracing implements Tracing {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;

  constructor(provider: TracerProvider) {
    this.#provider = provider;
    this.#tracer = provider.getTracer("diegetic");
  }

  root<T>(start: SpanStart, traceparents: readonly string[], work: () => Promise<T>): Promise<T> {
    const [parent, ...others] = traceparents.flatMap((text) => parseTraceParent(text) ?? []);
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote(parent));
    const span = this.#start(start, context, others.map(linkTo));
    if (!span.isRecording()) return scopes.run(undefined, work);
    const root = { isRunning: true };
    return this.#run(new Scope(span, root), work).finally(() => {
      root.isRunning = false;
    });
  }

  child<T>(start: SpanStart, work: () => Promise<T>): Promise<T> {
    const scope = this.#running();
    if (scope === undefined) return work();
    return this.#run(new Scope(this.#start(start, scope.context, scope.links), scope.root), work);
  }

  current(): TraceContext | undefined {
    return this.#running();
  }

  resume<T>(contexts: readonly (TraceContext | undefined)[], work: () => T): T {
    const [first, ...others] = contexts.filter((context) => context instanceof Scope);
    const links = others.map(({ span }) => linkTo(span.spanContext()));
    return scopes.run(first && new Scope(first.span, first.root, links), work);
  }

  annotate(attributes: SpanStart["attributes"]): void {
    this.#running()?.span.setAttributes(attributes);
  }

  fail(errorType: string): void {
    const span = this.#running()?.span;
    if (span !== undefined) fail(span, errorType);
  }

  traceparent(): string | undefined {
    const span = this.#running()?.span.spanContext();
    return span && `00-${span.traceId}-${span.spanId}-01`;
  }

  logFields(): TraceFields | undefined {
    const span = this.#running()?.span.spanContext();
    return span && { trace_id: span.traceId, span_id: span.spanId };
  }

  async close(): Promise<void> {
    const closed = this.#provider.shutdown().catch(() => undefined);
    await Promise.race([closed, sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  }

  #running(): Scope | undefined {
    const scope = scopes.getStore();
    return scope?.root.isRunning ? scope : undefined;
  }

  #start({ name, kind, attributes }: SpanStart, context: Context, links: readonly Link[]): Span {
    return this.#tracer.startSpan(name, { kind: KINDS[kind], attributes, links: [...links] }, context);
  }

  async #run<T>(scope: Scope, work: () => Promise<T>): Promise<T> {
    try {
      return await scopes.run(scope, work);
    } catch (error) {
      // Only the class: messages may contain what a caller sent.
      fail(scope.span, error instanceof Error ? error.name : "Error");
      throw error;
    } finally {
      scope.span.end();
    }
  }
}

function fail(span: Span, errorType: string): void {
  span.setAttribute("error.type", errorType);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function remote({ traceId, spanId, traceFlags }: SpanContext): SpanContext {
  return { traceId, spanId, traceFlags: traceFlags & TraceFlags.SAMPLED, isRemote: true };
}

function linkTo(context: SpanContext): Link {
  return { context };
}
