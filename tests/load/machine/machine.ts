import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { metric } from "../frame/statistics.ts";
import type { Metric, Run, Suite } from "../frame/suite.ts";

/**
 * How often the machine itself stops a busy core, as a hypervisor may: requests that are due meanwhile wait at least as long.
 * Without /proc, waiting for a core counts, too.
 */
export const machine: Suite = { names: ["machine"], run: measure };

const MIN_STALL_MS = 2;
const MAX_ROUNDS = 3;

async function measure(run: Run): Promise<Metric[]> {
  const seconds = run.quick ? 3 : 5;
  const cores = availableParallelism();
  const metrics: Metric[] = [];
  for (const [id, busy, label] of [
    ["one", 1, "one core busy"],
    ["all", cores, `all ${cores} cores busy`],
  ] as const) {
    const rounds: number[][] = [];
    for (let round = 0; round < Math.min(run.rounds, MAX_ROUNDS); round += 1)
      rounds.push(await stallsOf(busy, seconds));
    metrics.push(
      metric(
        {
          id: `machine_stalls_${id}_per_second`,
          label: `the machine stops a core for ${MIN_STALL_MS} ms or more, ${label}`,
          unit: "1/s",
        },
        rounds.map((stalls) => stalls.length / seconds),
      ),
      metric(
        { id: `machine_longest_stall_${id}_ms`, label: `the longest such stop, ${label}`, unit: "ms" },
        rounds.map((stalls) => Math.max(0, ...stalls)),
      ),
    );
  }
  return metrics;
}

/** The stalls of some busy threads, in milliseconds. */
async function stallsOf(threads: number, seconds: number): Promise<number[]> {
  const workerData = { durationMs: seconds * 1_000, minStallMs: MIN_STALL_MS };
  const stalls = Array.from(
    { length: threads },
    () =>
      new Promise<number[]>((resolve, reject) => {
        const worker = new Worker(new URL("./spin.worker.ts", import.meta.url), { workerData });
        worker.once("message", resolve).once("error", reject);
      }),
  );
  return (await Promise.all(stalls)).flat();
}
