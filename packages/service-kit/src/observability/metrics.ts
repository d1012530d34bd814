import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

export type { Counter, Gauge, Histogram } from "prom-client";

const DURATION_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The metrics of one process. Names are snake_case with a unit; labels have few values and never contain ids. */
export interface Metrics {
  counter<L extends string>(name: string, help: string, labels?: readonly L[]): Counter<L>;
  /** @param collect sets the value at each scrape */
  gauge<L extends string>(
    name: string,
    help: string,
    labels?: readonly L[],
    collect?: (gauge: Gauge<L>) => void | Promise<void>,
  ): Gauge<L>;
  /** Of durations in seconds. */
  histogram<L extends string>(name: string, help: string, labels?: readonly L[]): Histogram<L>;
  /** The response of `/metrics`. */
  exposition(): Promise<{ contentType: string; text: string }>;
}

/** @param options.processMetrics also measures memory, event loop and garbage collection, for real processes */
export function createMetrics(options: { service: string; processMetrics?: boolean }): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service: options.service });
  if (options.processMetrics) collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    counter: (name, help, labels = []) => new Counter({ name, help, labelNames: labels, registers }),
    gauge: (name, help, labels = [], collect) =>
      new Gauge({
        name,
        help,
        labelNames: labels,
        registers,
        ...(collect && {
          collect() {
            return collect(this);
          },
        }),
      }),
    histogram: (name, help, labels = []) =>
      new Histogram({ name, help, labelNames: labels, buckets: DURATION_BUCKETS_SECONDS, registers }),
    exposition: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}
