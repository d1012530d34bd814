export { inTraces, startTracing, tracing } from "./tracing.ts";
export { type SamplerName, samplerNames, type TraceContext } from "./types.ts";
