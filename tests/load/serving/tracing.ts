import { interleave } from "../frame/rounds.ts";
import { median, metric, ratios } from "../frame/statistics.ts";
import type { Metric, Run, Suite } from "../frame/suite.ts";
import { WITHOUT_TRACING } from "./processes.ts";
import { Stage } from "./stage.ts";

/** Where a match costs least, so that tracing's share is largest. */
const CAMPAIGNS = 10;
const WARM_UPS = 5;
const LOAD = 0.3;

/** `/match` while tracing is off, compared with a process from whose code tracing was removed. */
export const tracing: Suite = { names: ["tracing"], run: measure };

async function measure(run: Run): Promise<Metric[]> {
  const stage = await Stage.open(run, "dist");
  const world = await stage.world(CAMPAIGNS);
  const [off] = world.instances;
  if (off === undefined) throw new Error("no instance serves the world");
  // The control shows by how much two equal processes differ.
  const instances = { off, control: await stage.addInstance(world) };
  const without = await stage.addInstance(world, ["--import", WITHOUT_TRACING]);
  const each = Object.entries({ ...instances, without });
  const durationMs = run.quick ? 1_000 : 2_000;
  const subjects = Object.fromEntries(
    each.map(([name, instance]) => [name, () => stage.match(world, durationMs, [instance])]),
  );
  for (let warmUp = 0; warmUp < WARM_UPS; warmUp += 1) {
    for (const subject of Object.values(subjects)) await subject();
  }
  run.say("everything is warm");
  const throughput = await interleave(subjects, run.rounds);
  const cpu = (name: string) => (throughput[name] ?? []).map((one) => one.cpuMicroseconds);
  const rate = Math.round(LOAD * median((throughput.without ?? []).map((one) => one.perSecond)));
  const latency = await interleave(
    Object.fromEntries(
      each.map(([name, instance]) => [name, () => stage.matchLatency(world, rate, 2 * durationMs, instance)]),
    ),
    run.rounds,
  );
  const p50 = (name: string) => (latency[name] ?? []).map((one) => one.p50Ms);
  const label = `/match, ${CAMPAIGNS} campaigns, tracing off`;
  const compared = (id: string, what: string, of: (name: string) => number[]) => [
    metric(
      { id: `tracing_off_${id}`, label: `${what} of ${label} / without tracing`, unit: "×" },
      ratios(of("off"), of("without")),
    ),
    metric(
      { id: `tracing_control_${id}`, label: `${what} of ${label} / of an equal process`, unit: "×" },
      ratios(of("off"), of("control")),
    ),
  ];
  return [
    metric({ id: "tracing_off_cpu_us", label: `${label}: processor time each`, unit: "µs" }, cpu("off")),
    ...compared("cpu_ratio", "processor time", cpu),
    metric({ id: "tracing_off_p50_ms", label: `${label}, at ${rate}/s, p50`, unit: "ms" }, p50("off")),
    ...compared("p50_ratio", `p50 at ${rate}/s`, p50),
  ];
}
