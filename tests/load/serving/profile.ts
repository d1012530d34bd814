import { median, metric } from "../frame/statistics.ts";
import type { Metric, Run, Suite } from "../frame/suite.ts";
import { type Measured, profileOf } from "./processes.ts";
import { firstOf, Stage, type Throughput } from "./stage.ts";

/**
 * Where the processor time of B, of F2, of the floor, of a match and of an impression goes: the shares of the main thread's samples,
 * times the processor time of the whole process.
 */
export const profile: Suite = { names: ["profile"], run: measure };

const SMALL_WORLD = 10;
const LARGE_WORLD = 10_000;
const WARM_UPS = 5;
const MAX_ROUNDS = 3;
/** More than are billed in that time. */
const MATCHES_PER_MS = 18;

interface Subject {
  label: string;
  server: Measured;
  /** Makes the matches for impressions. */
  prepare?(durationMs: number): Promise<void>;
  load(durationMs: number): Promise<Throughput>;
}

async function measure(run: Run): Promise<Metric[]> {
  const stage = await Stage.open(run, "dist");
  const [small, large] = [await stage.world(SMALL_WORLD), await stage.world(LARGE_WORLD)];
  const bare = await stage.baseline("B");
  const fastify = await stage.fastify();
  const floor = await stage.floor();
  const subjects: Record<string, Subject> = {
    b: { label: "B", server: bare, load: (ms) => stage.echo(bare, ms) },
    f2: { label: "F2", server: fastify, load: (ms) => stage.echo(fastify, ms) },
    floor: {
      label: "scripts of a match",
      server: floor.server,
      load: (ms) => stage.matchFloor(floor, ms),
    },
    [`match_${SMALL_WORLD}`]: {
      label: `/match, ${SMALL_WORLD} campaigns`,
      server: firstOf(small),
      load: (ms) => stage.match(small, ms),
    },
    [`match_${LARGE_WORLD}`]: {
      label: `/match, ${LARGE_WORLD} campaigns`,
      server: firstOf(large),
      load: (ms) => stage.match(large, ms),
    },
    floor_impressions: {
      label: "scripts of an impression",
      server: floor.server,
      prepare: (ms) => stage.prepareFloor(floor, ms * MATCHES_PER_MS),
      load: (ms) => stage.impressionFloor(floor, ms),
    },
    impressions: {
      label: "/impressions",
      server: firstOf(large),
      prepare: (ms) => stage.prepareMatches(large, ms * MATCHES_PER_MS),
      load: (ms) => stage.impressions(large, ms),
    },
  };
  const metrics: Metric[] = [];
  for (const [id, subject] of Object.entries(subjects)) metrics.push(...(await profiled(run, id, subject)));
  return metrics;
}

async function profiled(run: Run, id: string, { label, server, ...subject }: Subject): Promise<Metric[]> {
  const durationMs = run.quick ? 1_000 : 2_000;
  const prepared = async <Result>(load: () => Promise<Result>) => {
    await subject.prepare?.(durationMs);
    return load();
  };
  for (let warmUp = 0; warmUp < WARM_UPS; warmUp += 1) await prepared(() => subject.load(durationMs));
  const costs: number[] = [];
  const shares: Map<Layer, number>[] = [];
  for (let round = 0; round < Math.min(run.rounds, MAX_ROUNDS); round += 1) {
    // Not while samples are taken, which costs time itself.
    costs.push((await prepared(() => subject.load(durationMs))).cpuMicroseconds);
    const [modules] = await prepared(() =>
      Promise.all([profileOf(server, durationMs), subject.load(durationMs)]),
    );
    shares.push(sharesOf(modules));
  }
  run.say(`${label} is profiled`);
  const cost = median(costs);
  return LAYERS.map((layer) =>
    metric(
      {
        id: `profile_${id}_${layer.id}_us`,
        label: `${label}: ${layer.label}`,
        unit: "µs",
        note: `of ${cost.toFixed(0)} µs`,
      },
      shares.map((share) => (share.get(layer) ?? 0) * cost),
    ),
  );
}

/** A part of the code. */
interface Layer {
  id: string;
  label: string;
  /** Of modules: paths in the repository, names of packages after `node_modules/`, or what V8 names. */
  modules: RegExp;
}

/** A module belongs to the first that fits. */
const LAYERS: readonly Layer[] = [
  { id: "crypto", label: "hashes and ciphers", modules: /^node:internal\/crypto\// },
  { id: "node", label: "node:http, sockets, streams, timers", modules: /^node:/ },
  {
    id: "native",
    label: "native code without JavaScript: polling, HTTP parser, promises",
    modules: /^\(program\)$/,
  },
  { id: "garbage", label: "garbage collection", modules: /^\(garbage collector\)$/ },
  {
    id: "redis_client",
    label: "client and queue of Redis",
    modules: /^node_modules\/(?:@?ioredis|bullmq|denque|cluster-key-slot|standard-as-callback|redis-)/,
  },
  { id: "scripts", label: "arguments and replies of scripts", modules: /^packages\/hot-state\// },
  { id: "index", label: "index", modules: /^packages\/ad-rules\// },
  {
    id: "validation",
    label: "validation, compiled code",
    modules: /^(?:\(compiled\)$|packages\/contracts\/|node_modules\/(?:ajv|secure-json-parse))/,
  },
  { id: "request", label: "key, limits, body, headers", modules: /^packages\/service-kit\// },
  { id: "handlers", label: "handlers", modules: /^(?:services\/match|tests\/load)\// },
  {
    id: "packages",
    label: "other packages",
    modules: /^(?:packages|node_modules)\//,
  },
];
/** Of the main thread's samples. */
const IDLE = "(idle)";
const ROOT = new URL("../../../", import.meta.url);

/** The share of each layer in the time that the main thread is not idle. Throws when a module belongs to no layer. */
function sharesOf(modules: Record<string, number>): Map<Layer, number> {
  const times = new Map<Layer, number>();
  let sum = 0;
  for (const [module, microseconds] of Object.entries(modules)) {
    if (module === IDLE) continue;
    const path = pathOf(module);
    const layer = LAYERS.find((one) => one.modules.test(path));
    if (layer === undefined) throw new Error(`${path} belongs to no layer`);
    times.set(layer, (times.get(layer) ?? 0) + microseconds);
    sum += microseconds;
  }
  return new Map([...times].map(([layer, time]) => [layer, time / sum]));
}

/** From the repository's root, or from the last `node_modules`. */
function pathOf(module: string): string {
  const installedAt = module.lastIndexOf("node_modules/");
  if (installedAt >= 0) return module.slice(installedAt);
  return module.replace(ROOT.href, "").replace(ROOT.pathname, "");
}
