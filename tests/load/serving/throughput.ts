import { interleave } from "../frame/rounds.ts";
import { median, metric, ratios } from "../frame/statistics.ts";
import type { Goal, Metric, Run } from "../frame/suite.ts";
import type { Actors } from "./actors.ts";
import { busyNote, type Throughput } from "./stage.ts";

/** Until V8 compiles hardly anything more, which would count as processor time: some ten seconds of load. */
const WARM_UPS = 5;
const QUICK_WARM_UPS = 4;
const FIRST_MATCHES = 10_000;
/** Matches prepared per sent impression, including the warm-up. */
const SPARE = 1.8;
/** Of processor time, which hardly depends on what else the machine does. */
const MATCH_TO_B: Goal = { atLeast: 0.95, aim: 1.2 };
const MATCH_TO_F2: Goal = { atLeast: 0.7, aim: 0.9 };
const IMPRESSIONS_TO_F2: Goal = { atLeast: 0.9, aim: 1.1 };
const MORE_CAMPAIGNS: Goal = { atMost: 15, aim: 8 };

/** Closed-loop throughput of all subjects in turn. */
export async function measureThroughput(
  run: Run,
  actors: Actors,
): Promise<{ metrics: Metric[]; capacity: { match: number; impressions: number } }> {
  const subjects = subjectsOf(run, actors);
  for (let warmUp = 0; warmUp < (run.quick ? QUICK_WARM_UPS : WARM_UPS); warmUp += 1) {
    for (const subject of Object.values(subjects)) await subject();
  }
  run.say("everything is warm");
  const samples = await interleave(subjects, run.rounds);
  run.say("throughput is measured");
  const capacity = (name: string) => median(perSecond(samples[name] ?? []));
  return {
    metrics: [...Object.entries(samples).flatMap(absolute), ...relative(samples, actors)],
    capacity: { match: capacity(`match_${actors.usual.size}`), impressions: capacity("impressions") },
  };
}

function subjectsOf(run: Run, actors: Actors): Record<string, () => Promise<Throughput>> {
  const { stage, worlds, usual, floor } = actors;
  const durationMs = run.quick ? 1_000 : 2_000;
  const subjects: Record<string, () => Promise<Throughput>> = {
    B: () => stage.echo(actors.bare, durationMs),
    R: () => stage.echo(actors.withRedis, durationMs),
    F2: () => stage.echo(actors.fastify, durationMs),
  };
  if (run.wanted.has("match")) subjects.floor = () => stage.matchFloor(floor, durationMs);
  for (const world of worlds) subjects[`match_${world.size}`] = () => stage.match(world, durationMs);
  if (run.wanted.has("impressions")) {
    subjects.floor_impressions = withEnough(durationMs, async (matches) => {
      await stage.prepareFloor(floor, matches);
      return stage.impressionFloor(floor, durationMs);
    });
    subjects.impressions = withEnough(durationMs, async (matches) => {
      await stage.prepareMatches(usual, matches);
      return stage.impressions(usual, durationMs);
    });
  }
  return subjects;
}

/** A measurement of impressions, which ends when its matches run out, with as many as the one before suggests. */
function withEnough(
  durationMs: number,
  measure: (matches: number) => Promise<Throughput>,
): () => Promise<Throughput> {
  let enough = FIRST_MATCHES;
  return async () => {
    const taken = await measure(enough);
    enough = Math.ceil((taken.perSecond * durationMs * SPARE) / 1_000);
    return taken;
  };
}

function absolute([name, taken]: [string, Throughput[]]): Metric[] {
  const ads = (median(taken.map((one) => one.okShare)) * 100).toFixed(1);
  const note = `${busyNote(taken)}; ${ads} % 200 or 201`;
  return [
    metric({ id: `${name}_per_second`, label: labelOf(name), unit: "1/s", note }, perSecond(taken)),
    metric(
      { id: `${name}_cpu_us`, label: `${labelOf(name)}: processor time each`, unit: "µs" },
      taken.map((one) => one.cpuMicroseconds),
    ),
  ];
}

function relative(samples: Record<string, Throughput[]>, { worlds, usual }: Actors): Metric[] {
  const against = (name: string, other: string) =>
    metric(
      { id: `${name}_to_${other.toLowerCase()}`, label: `${labelOf(name)} / ${other}`, unit: `× ${other}` },
      ratios(perSecond(samples[name] ?? []), perSecond(samples[other] ?? [])),
    );
  const cheaper = (name: string, other: string, goal: Goal) =>
    metric(
      {
        id: `${name}_cpu_to_${other.toLowerCase()}`,
        label: `processor time of ${other} / of ${labelOf(name)}`,
        unit: "×",
        goal,
      },
      ratios(cpu(samples[other] ?? []), cpu(samples[name] ?? [])),
    );
  const usualName = `match_${usual.size}`;
  const metrics = [against("R", "B"), against("F2", "B")];
  if (samples.floor !== undefined) metrics.push(against("floor", "B"));
  metrics.push(against(usualName, "B"), cheaper(usualName, "B", MATCH_TO_B));
  metrics.push(cheaper(usualName, "F2", MATCH_TO_F2));
  if (samples.impressions !== undefined) {
    metrics.push(against("impressions", "B"), cheaper("impressions", "F2", IMPRESSIONS_TO_F2));
    metrics.push(against("floor_impressions", "B"));
  }
  const [smallest] = worlds;
  if (smallest === undefined) return metrics;
  for (const { size } of worlds.slice(1)) {
    const shares = ratios(cpu(samples[`match_${size}`] ?? []), cpu(samples[`match_${smallest.size}`] ?? []));
    const label = `/match: processor time from ${smallest.size} to ${size} campaigns`;
    const more = shares.map((share) => (share - 1) * 100);
    const id = `match_cpu_more_at_${size}_percent`;
    metrics.push(
      metric({ id, label, unit: "%", ...(size === usual.size && { goal: MORE_CAMPAIGNS }) }, more),
    );
  }
  return metrics;
}

const LABELS: Readonly<Record<string, string>> = {
  impressions: "/impressions",
  floor: "scripts of a match behind node:http",
  floor_impressions: "scripts of an impression behind node:http",
};

function labelOf(name: string): string {
  const size = /^match_(\d+)$/.exec(name)?.[1];
  if (size !== undefined) return `/match, ${size} campaigns`;
  return LABELS[name] ?? name;
}

function cpu(samples: readonly Throughput[]): number[] {
  return samples.map((one) => one.cpuMicroseconds);
}

function perSecond(samples: readonly Throughput[]): number[] {
  return samples.map((one) => one.perSecond);
}
