import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { metric } from "../frame/statistics.ts";
import type { Metric, Run, Suite } from "../frame/suite.ts";

/**
 * How often a busy core is taken away for a while, by another process or by a hypervisor. Requests that are due meanwhile
 * wait at least as long.
 */
export const machine: Suite = { names: ["machine"], run: measure };

const MIN_GAP_MS = 2;
const MAX_ROUNDS = 3;

async function measure(run: Run): Promise<Metric[]> {
  const seconds = run.quick ? 3 : 5;
  const cores = availableParallelism();
  const metrics: Metric[] = [];
  for (const [id, busy, label] of [
    ["one", 1, "while one core is busy"],
    ["all", cores, `while all ${cores} cores are busy`],
  ] as const) {
    const rounds: number[][] = [];
    for (let round = 0; round < Math.min(run.rounds, MAX_ROUNDS); round += 1) {
      rounds.push(await gapsOf(busy, seconds));
    }
    metrics.push(
      metric(
        {
          id: `machine_gaps_${id}_per_second`,
          label: `a core is taken away for ${MIN_GAP_MS} ms or more, ${label}`,
          unit: "1/s",
        },
        rounds.map((gaps) => gaps.length / seconds),
      ),
      metric(
        { id: `machine_longest_gap_${id}_ms`, label: `the longest time without it, ${label}`, unit: "ms" },
        rounds.map((gaps) => Math.max(0, ...gaps)),
      ),
    );
  }
  return metrics;
}

/** The gaps of some busy threads, in milliseconds. */
async function gapsOf(threads: number, seconds: number): Promise<number[]> {
  const workerData = { durationMs: seconds * 1_000, minGapMs: MIN_GAP_MS };
  const gaps = Array.from(
    { length: threads },
    () =>
      new Promise<number[]>((resolve, reject) => {
        const worker = new Worker(new URL("./spin.worker.ts", import.meta.url), { workerData });
        worker.once("message", resolve).once("error", reject);
      }),
  );
  return (await Promise.all(gaps)).flat();
}
