/** Values of OTEL_TRACES_SAMPLER. */
export const samplerNames = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;
export type SamplerName = (typeof samplerNames)[number];

export interface TracingOptions {
  serviceName: string;
  instanceName: string;
  sampler: SamplerName;
  /** The ratio of the samplers that have one. */
  samplerRatio: number;
  /** Called after every export; undefined: it succeeded. */
  onExport: (error: Error | undefined) => void;
}

export interface SpanStart {
  name: string;
  kind: "server" | "consumer" | "client";
  /** No player ids, keys or URLs. */
  attributes: Record<string, string | number>;
}

/** Where a span belongs; opaque outside this package. */
export interface TraceContext {
  readonly isTraceContext: true;
}

/** Fields of log lines. */
export interface TraceFields {
  trace_id: string;
  span_id: string;
}

/** Spans follow asynchronous calls. A span that the sampler rejects has no children and is never recorded. */
export interface Tracing {
  /**
   * Runs `work` in a span of a new trace, or of the trace of `traceparents[0]`, linked to the others.
   * @param traceparents as in W3C Trace Context; invalid ones are ignored
   */
  root<T>(start: SpanStart, traceparents: readonly string[], work: () => Promise<T>): Promise<T>;
  /** Runs `work` in a child of the current span; without a current span, in none. */
  child<T>(start: SpanStart, work: () => Promise<T>): Promise<T>;
  /** Undefined: no recorded root span is running. */
  current(): TraceContext | undefined;
  /** Runs `work` in the first of some contexts; its spans are linked to the others. */
  resume<T>(contexts: readonly (TraceContext | undefined)[], work: () => T): T;
  /** Adds attributes to the current span. */
  annotate(attributes: SpanStart["attributes"]): void;
  /** Marks the current span as failed. */
  fail(errorType: string): void;
  /** The W3C traceparent of the current span, for another process. */
  traceparent(): string | undefined;
  logFields(): TraceFields | undefined;
  /** Exports what has ended; gives up after a limit. */
  close(): Promise<void>;
}
