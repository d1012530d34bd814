import { interleave } from "../frame/rounds.ts";
import { metric, ratios } from "../frame/statistics.ts";
import type { Metric, Run } from "../frame/suite.ts";
import type { Actors } from "./actors.ts";
import { busyNote, type Latency } from "./stage.ts";

const LOAD = 0.3;
/** Matches prepared per sent impression. */
const SPARE = 1.6;

/** `/match` and `/impressions` at 30 % of their capacity, and R at the same rates. */
export async function measureLatency(
  run: Run,
  actors: Actors,
  capacity: { match: number; impressions: number },
): Promise<Metric[]> {
  const metrics: Metric[] = [];
  for (const name of ["match", "impressions"] as const) {
    if (!run.wanted.has(name)) continue;
    const rate = Math.round(LOAD * capacity[name]);
    const samples = await interleave(subjectsOf(name, run, actors, rate), run.rounds);
    metrics.push(...metricsOf(name, rate, samples));
    run.say(`latencies of ${name} at ${rate} a second`);
  }
  return metrics;
}

function subjectsOf(
  name: "match" | "impressions",
  run: Run,
  { stage, withRedis, usual }: Actors,
  rate: number,
): Record<"own" | "R", () => Promise<Latency>> {
  const durationMs = run.quick ? 1_500 : 4_000;
  const prepare = async () => {
    if (name === "match") return;
    await stage.prepareMatches(usual, Math.ceil(rate * (durationMs / 1_000) * SPARE));
  };
  return {
    own: async () => {
      await prepare();
      return name === "match"
        ? stage.matchLatency(usual, rate, durationMs)
        : stage.impressionLatency(usual, rate, durationMs);
    },
    R: () => stage.echoLatency(withRedis, rate, durationMs),
  };
}

function metricsOf(name: string, rate: number, samples: Record<"own" | "R", Latency[]>): Metric[] {
  const { own, R } = samples;
  const at = `at ${rate}/s`;
  const p99 = (list: readonly Latency[]) => list.map((one) => one.p99Ms);
  const p50 = (list: readonly Latency[]) => list.map((one) => one.p50Ms);
  const cost = (id: string, subject: string, list: readonly Latency[]) => [
    metric(
      { id: `${id}_cpu_us`, label: `${subject} ${at}: processor time each`, unit: "µs" },
      list.map((one) => one.cpuMicroseconds),
    ),
    metric(
      { id: `${id}_wait_us`, label: `${subject} ${at}: main thread waits for a core, each`, unit: "µs" },
      list.map((one) => one.waitMicroseconds),
    ),
  ];
  return [
    ...cost(`${name}_open`, `/${name}`, own),
    ...cost(`r_at_${name}`, "R", R),
    metric({ id: `${name}_p50_ms`, label: `/${name} ${at}, p50`, unit: "ms" }, p50(own)),
    metric({ id: `r_p50_at_${name}_ms`, label: `R ${at}, p50`, unit: "ms" }, p50(R)),
    metric({ id: `${name}_p99_ms`, label: `/${name} ${at}, p99`, unit: "ms", note: busyNote(own) }, p99(own)),
    metric({ id: `r_p99_at_${name}_ms`, label: `R ${at}, p99`, unit: "ms", note: busyNote(R) }, p99(R)),
    metric(
      {
        id: `${name}_p99_to_r`,
        label: `/${name} / R, p99 at 30 % load`,
        unit: "× R",
        goal: { atMost: 1, aim: 0.7 },
      },
      ratios(p99(own), p99(R)),
    ),
    metric(
      { id: `${name}_generator_late_ms`, label: `/${name} ${at}: generator late by, p99`, unit: "ms" },
      own.map((one) => one.lateP99Ms),
    ),
  ];
}
