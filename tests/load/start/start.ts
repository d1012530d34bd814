import { join } from "node:path";
import { startStack } from "@diegetic/testing/stack";
import { metric } from "../frame/statistics.ts";
import type { Goal, Metric, Run, Suite } from "../frame/suite.ts";

/** Time from `npm start` with demo data until it says that it is ready; packages are installed and built before. */
export const start: Suite = { names: ["start"], run: measure };

const FIRST_START: Goal = { atMost: 60 };
/** On four cores. */
const SECOND_START: Goal = { atMost: 5, aim: 3 };

async function measure(run: Run): Promise<Metric[]> {
  const first: number[] = [];
  const second: number[] = [];
  const rounds = run.quick ? 1 : run.rounds;
  for (let round = 0; round < rounds; round += 1) {
    const dataDir = join(run.directory, String(round));
    first.push(await secondsToStart(dataDir));
    second.push(await secondsToStart(dataDir));
    run.say(`first start ${first.at(-1)?.toFixed(1)} s, second ${second.at(-1)?.toFixed(1)} s`);
  }
  return [
    metric(
      { id: "first_start_seconds", label: "first `npm start`, demo data", unit: "s", goal: FIRST_START },
      first,
    ),
    metric(
      { id: "second_start_seconds", label: "second `npm start`, demo data", unit: "s", goal: SECOND_START },
      second,
    ),
  ];
}

async function secondsToStart(dataDir: string): Promise<number> {
  const startedMs = performance.now();
  const stack = await startStack({ dataDir, environment: { DEMO: "1" } });
  const seconds = (performance.now() - startedMs) / 1_000;
  await stack.pressCtrlC();
  return seconds;
}
