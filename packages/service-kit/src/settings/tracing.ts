import { type SamplerName, samplerNames } from "@diegetic/tracing";
import {
  choiceSetting,
  integerSetting,
  numberSetting,
  type Setting,
  type SettingValues,
  textSetting,
} from "./settings.ts";

/** The address of an OTLP/HTTP receiver, such as http://collector:4318; undefined when unset. */
const endpointSetting: Setting<string | undefined> = {
  variable: "OTEL_EXPORTER_OTLP_ENDPOINT",
  parse: (text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url !== undefined && ["http:", "https:"].includes(url.protocol)) return text;
    throw new Error("an http or https address, such as http://collector:4318");
  },
  fallback: { value: undefined },
};

/** Tracing by the variables of OpenTelemetry; off without an endpoint. The exporter reads further variables itself. */
export function tracingSettings(serviceName: string) {
  return {
    tracesEndpoint: endpointSetting,
    tracesServiceName: textSetting("OTEL_SERVICE_NAME", {
      fallback: `diegetic-${serviceName}`,
      maxLength: 100,
    }),
    tracesSampler: choiceSetting<SamplerName>("OTEL_TRACES_SAMPLER", samplerNames, "parentbased_always_on"),
    // Read by the exporter, which uses its default in place of a wrong one.
    tracesTimeoutMs: integerSetting("OTEL_EXPORTER_OTLP_TIMEOUT", { min: 1, max: 600_000, fallback: 10_000 }),
    tracesSamplerRatio: numberSetting("OTEL_TRACES_SAMPLER_ARG", { min: 0, max: 1, fallback: 1 }),
  };
}

export type TracingSettings = SettingValues<ReturnType<typeof tracingSettings>>;
