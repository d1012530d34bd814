import { interleave } from "../frame/rounds.ts";
import { metric, ratios } from "../frame/statistics.ts";
import type { Goal, Metric, Run } from "../frame/suite.ts";
import type { Actors } from "./actors.ts";
import { busyNote, type Throughput } from "./stage.ts";

/** On four cores. */
const TWO_INSTANCES: Goal = { atLeast: 1.8, aim: 1.95 };

/** Two instances on one Redis, compared with one. */
export async function measureInstances(run: Run, { stage, usual }: Actors): Promise<Metric[]> {
  await stage.addInstance(usual);
  const durationMs = run.quick ? 1_000 : 2_000;
  const both = () => stage.match(usual, durationMs, usual.instances);
  await both();
  const { one, two } = await interleave({ one: () => stage.match(usual, durationMs), two: both }, run.rounds);
  run.say("two instances are measured");
  const perSecond = (taken: readonly Throughput[]) => taken.map((sample) => sample.perSecond);
  const label = "two instances / one";
  return [
    metric(
      {
        id: "two_instances_to_one",
        label,
        unit: "×",
        goal: TWO_INSTANCES,
        note: busyNote(two, "both instances"),
      },
      ratios(perSecond(two), perSecond(one)),
    ),
  ];
}
