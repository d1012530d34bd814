import { metric } from "../frame/statistics.ts";
import type { Metric } from "../frame/suite.ts";
import type { Actors } from "./actors.ts";
import { type Probe, probe } from "./processes.ts";

const MEGABYTE = 2 ** 20;
const PER = 10_000;
const TIMES = 3;

/**
 * Memory of campaigns in an instance: the difference between two instances that only loaded their worlds, after a
 * collection.
 */
export async function measureMemory({ worlds, usual }: Actors): Promise<Metric[]> {
  const probes = new Map<number, Probe[]>();
  for (const { size, instances } of worlds) {
    const taken: Probe[] = [];
    for (let time = 0; time < TIMES; time += 1) {
      if (instances[0] !== undefined) taken.push(await probe(instances[0], { collect: true }));
    }
    probes.set(size, taken);
  }
  const used = (size: number) => (probes.get(size) ?? []).map((one) => one.usedBytes / MEGABYTE);
  const metrics = [
    metric(
      { id: "instance_resident_mb", label: `instance of ${usual.size} campaigns, resident`, unit: "MB" },
      (probes.get(usual.size) ?? []).map((one) => one.residentBytes / MEGABYTE),
    ),
  ];
  const [smallest] = worlds;
  if (smallest === undefined) return metrics;
  for (const { size } of worlds.slice(1)) {
    const label = `memory per ${PER} campaigns, of ${size}`;
    const before = used(smallest.size);
    const samples = used(size).map(
      (after, time) => ((after - (before[time] ?? 0)) / (size - smallest.size)) * PER,
    );
    const goal = { atMost: 25, aim: 12 };
    metrics.push(metric({ id: `memory_per_10000_of_${size}_mb`, label, unit: "MB", goal }, samples));
  }
  return metrics;
}
