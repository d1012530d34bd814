import type { Metric, Run, Suite } from "../frame/suite.ts";
import type { Actors } from "./actors.ts";
import { measureChanges } from "./changes.ts";
import { measureInstances } from "./instances.ts";
import { measureLatency } from "./latency.ts";
import { measureMemory } from "./memory.ts";
import { type ServedWorld, Stage } from "./stage.ts";
import { measureThroughput } from "./throughput.ts";

const USUAL_SIZE = 10_000;
const SIZES = [10, USUAL_SIZE, 100_000];
const QUICK_SIZES = [10, USUAL_SIZE];

/** `/match` and `/impressions` compared with B and R, over worlds of several sizes. */
export const serving: Suite = { names: ["match", "impressions"], run: measure };

async function measure(run: Run): Promise<Metric[]> {
  const actors = await assemble(run);
  const memory = run.wanted.has("match") ? await measureMemory(actors) : [];
  const { metrics, capacity } = await measureThroughput(run, actors);
  metrics.push(...(await measureLatency(run, actors, capacity)), ...memory);
  if (run.wanted.has("match")) {
    metrics.push(...(await measureInstances(run, actors)));
    metrics.push(...(await measureChanges(run, actors, capacity.match)));
  }
  return metrics;
}

async function assemble(run: Run): Promise<Actors> {
  const stage = await Stage.open(run);
  const worlds: ServedWorld[] = [];
  const sizes = run.quick ? QUICK_SIZES : SIZES;
  for (const size of run.wanted.has("match") ? sizes : [USUAL_SIZE]) worlds.push(await stage.world(size));
  const usual = worlds.find(({ size }) => size === USUAL_SIZE);
  if (usual === undefined) throw new Error("the usual world is missing");
  return {
    stage,
    worlds,
    usual,
    bare: await stage.baseline("B"),
    withRedis: await stage.baseline("R"),
    fastify: await stage.fastify(),
    floor: await stage.floor(),
  };
}
