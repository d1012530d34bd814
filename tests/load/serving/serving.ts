import { interleave } from "../frame/rounds.ts";
import { figure, median, ratios } from "../frame/statistics.ts";
import type { Figure, Run, Suite } from "../frame/suite.ts";
import type { Measured } from "./processes.ts";
import { probe } from "./processes.ts";
import { type ServedWorld, Stage, type Throughput } from "./stage.ts";

/** `/match` and `/impressions` against B and R, over worlds of several sizes. */
export const serving: Suite = { names: ["match", "impressions"], run: measure };

const USUAL_SIZE = 10_000;

interface Actors {
  stage: Stage;
  bare: Measured;
  withRedis: Measured;
  worlds: ServedWorld[];
  usual: ServedWorld;
}

async function measure(run: Run): Promise<Figure[]> {
  const stage = await Stage.open(run);
  const worlds: ServedWorld[] = [];
  for (const size of run.wanted.has("match") && !run.quick ? [10, USUAL_SIZE, 100_000] : [USUAL_SIZE]) {
    worlds.push(await stage.world(size));
  }
  const usual = worlds.find(({ size }) => size === USUAL_SIZE);
  if (usual === undefined) throw new Error("the usual world is missing");
  const bare = await stage.baseline("B");
  const withRedis = await stage.baseline("R");
  const actors = { stage, bare, withRedis, worlds, usual };
  const closed = await measureThroughput(run, actors);
  return [...closed.figures];
}

async function measureThroughput(run: Run, actors: Actors): Promise<{ figures: Figure[] }> {
  const { stage, worlds, usual } = actors;
  const durationMs = run.quick ? 1_000 : 2_000;
  const subjects: Record<string, () => Promise<Throughput>> = {
    B: () => stage.echo(actors.bare, durationMs),
    R: () => stage.echo(actors.withRedis, durationMs),
  };
  for (const world of worlds) subjects[`match_${world.size}`] = () => stage.match(world, durationMs);
  if (run.wanted.has("impressions")) {
    subjects.impressions = async () => {
      await stage.match(usual, durationMs * 1.25, true);
      return await stage.impressions(usual, durationMs);
    };
  }
  for (const subject of Object.values(subjects)) await subject();
  run.say("everything is warm");
  const samples = await interleave(subjects, run.rounds);
  const figures = Object.entries(samples).flatMap(([name, taken]) => [
    figure({ id: `${name}_per_second`, label: name, unit: "1/s", note: share(taken) }, perSecond(taken)),
    figure(
      { id: `${name}_cpu_us`, label: `${name}: processor time of the process`, unit: "µs" },
      taken.map((one) => one.cpuMicroseconds),
    ),
  ]);
  const bare = perSecond(samples.B ?? []);
  for (const [name, taken] of Object.entries(samples)) {
    if (name === "B") continue;
    figures.push(
      figure({ id: `${name}_to_b`, label: `${name} / B`, unit: "× B" }, ratios(perSecond(taken), bare)),
    );
  }
  return { figures };
}

function perSecond(samples: readonly Throughput[]): number[] {
  return samples.map((one) => one.perSecond);
}

function share(samples: readonly Throughput[]): string {
  return `${Math.round(median(samples.map((one) => one.okShare)) * 1_000) / 10} % with an ad`;
}
void probe;
