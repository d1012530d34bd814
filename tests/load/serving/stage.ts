import { join } from "node:path";
import { connectRedis, type RedisConnection } from "@diegetic/hot-state";
import { startRedis } from "@diegetic/local-stores";
import { median } from "../frame/statistics.ts";
import type { Run } from "../frame/suite.ts";
import type { OpenLoopResult } from "../generator/open-loop.ts";
import type { Kind } from "./jobs.ts";
import {
  cpuSeconds,
  Generator,
  type MatchBuild,
  type Measured,
  startBaseline,
  startFastify,
  startFloor,
  startMatchService,
  waitedSeconds,
} from "./processes.ts";
import { makeWorld } from "./world.ts";

const CONNECTIONS = 64;
const PREPARE_WITHIN_MS = 60_000;
const MATCH_PATH = "/api/match";
const IMPRESSIONS_PATH = "/api/impressions";
const FLOOR_MATCHES = { source: "match", pool: "floor", path: MATCH_PATH } as const;
/** The floor remembers only these, so that others cost no memory. */
const KEPT_FLOOR_MATCHES = { ...FLOOR_MATCHES, path: `${MATCH_PATH}?keep`, keepMatches: true };
const FLOOR_IMPRESSIONS = { source: "impressions", pool: "floor", path: IMPRESSIONS_PATH } as const;

/** Used shares of a core; close to 1 for each process: the bottleneck. */
export interface Busy {
  services: number;
  redis: number;
  generator: number;
}

/** One measurement of throughput. */
export interface Throughput {
  perSecond: number;
  /** Processor time of the measured process per request, microseconds: hardly affected by other processes. */
  cpuMicroseconds: number;
  /** Share of answers that are 200 or 201. */
  okShare: number;
  busy: Busy;
}

/** One measurement of latencies. */
export interface Latency extends OpenLoopResult {
  /** Processor time of the measured process per request, microseconds. */
  cpuMicroseconds: number;
  /** How long its main thread waited for a free core per request, microseconds. */
  waitMicroseconds: number;
  busy: Busy;
}

/** B or R. */
export interface Baseline extends Measured {
  /** Of R's Redis. */
  redisPid: number | undefined;
}

/** Campaigns of a size, with their own Redis and instance. */
export interface ServedWorld {
  size: number;
  redisUrl: string;
  redisPid: number;
  redis: RedisConnection;
  instances: Measured[];
}

/** The minimum cost of a match and of an impression, with the Redis of their scripts. */
export interface Floor {
  server: Measured;
  redisPid: number;
}

/** All measured processes, and the generator. */
export class Stage {
  readonly generator: Generator;
  readonly #run: Run;
  readonly #build: MatchBuild;

  private constructor(run: Run, generator: Generator, build: MatchBuild) {
    this.#run = run;
    this.generator = generator;
    this.#build = build;
  }

  static async open(run: Run, build: MatchBuild = "bundle"): Promise<Stage> {
    const generator = await Generator.start();
    run.defer(() => generator.process.stop());
    return new Stage(run, generator, build);
  }

  async baseline(kind: "B" | "R"): Promise<Baseline> {
    const redis = kind === "R" ? await this.#startRedis("baseline") : undefined;
    const baseline = await startBaseline(redis?.url);
    this.#run.defer(() => baseline.stop());
    return { ...baseline, redisPid: redis?.pid };
  }

  async fastify(): Promise<Measured> {
    const fastify = await startFastify((await this.#startRedis("fastify")).url);
    this.#run.defer(() => fastify.stop());
    return fastify;
  }

  async floor(): Promise<Floor> {
    const store = await this.#startRedis("floor");
    const server = await startFloor(store.url);
    this.#run.defer(() => server.stop());
    return { server, redisPid: store.pid };
  }

  async world(size: number): Promise<ServedWorld> {
    const store = await this.#startRedis(`world-${size}`);
    const redis = connectRedis(store.url, { name: "benchmark", commandTimeoutMs: 60_000 });
    this.#run.defer(() => redis.disconnect());
    await makeWorld(redis, size);
    const world = { size, redisUrl: store.url, redisPid: store.pid, redis, instances: [] };
    await this.addInstance(world);
    this.#run.say(`a world of ${size} campaigns is served`);
    return world;
  }

  async addInstance(world: ServedWorld, nodeFlags: string[] = []): Promise<Measured> {
    const name = `match-${world.instances.length + 1}`;
    const instance = await startMatchService(world.redisUrl, name, { nodeFlags, build: this.#build });
    world.instances.push(instance);
    this.#run.defer(() => instance.stop());
    await answersReady(instance.port);
    return instance;
  }

  echo(baseline: Measured, durationMs: number): Promise<Throughput> {
    return this.#throughput([baseline], undefined, { source: "echo" }, durationMs);
  }

  matchFloor({ server, redisPid }: Floor, durationMs: number): Promise<Throughput> {
    return this.#throughput([server], redisPid, FLOOR_MATCHES, durationMs);
  }

  /** Makes matches for `impressionFloor`. */
  prepareFloor({ server }: Floor, count: number): Promise<void> {
    return this.#prepare([server], KEPT_FLOOR_MATCHES, count);
  }

  /** Of prepared matches; ends when they run out. */
  impressionFloor({ server, redisPid }: Floor, durationMs: number): Promise<Throughput> {
    return this.#throughput([server], redisPid, FLOOR_IMPRESSIONS, durationMs);
  }

  match(
    world: ServedWorld,
    durationMs: number,
    instances: readonly Measured[] = world.instances.slice(0, 1),
  ): Promise<Throughput> {
    return this.#throughput(instances, world.redisPid, this.#matches(world), durationMs);
  }

  #matches(world: ServedWorld, keepMatches = false): Kind {
    return { source: "match", pool: String(world.size), path: MATCH_PATH, keepMatches };
  }

  /** Makes matches for `impressions`. */
  prepareMatches(world: ServedWorld, count: number): Promise<void> {
    return this.#prepare(world.instances.slice(0, 1), this.#matches(world, true), count);
  }

  async #prepare(instances: readonly Measured[], matches: Kind, count: number): Promise<void> {
    const load = { ...this.#load(instances), warmUpMs: 0, durationMs: PREPARE_WITHIN_MS, atMost: count };
    await this.generator.closed(load, matches);
  }

  /** Of prepared matches; ends when they run out. */
  impressions(world: ServedWorld, durationMs: number): Promise<Throughput> {
    const kind: Kind = { source: "impressions", pool: String(world.size), path: IMPRESSIONS_PATH };
    return this.#throughput(world.instances.slice(0, 1), world.redisPid, kind, durationMs);
  }

  async #throughput(
    measured: readonly Measured[],
    redisPid: number | undefined,
    kind: Kind,
    durationMs: number,
  ): Promise<Throughput> {
    const used = this.#watch(measured, redisPid);
    const load = { ...this.#load(measured), warmUpMs: durationMs / 4, durationMs };
    const { answered, seconds, statuses, sent } = await this.generator.closed(load, kind);
    const { cpuSeconds: services, busy } = used();
    return {
      perSecond: answered / seconds,
      cpuMicroseconds: (services / sent) * 1e6,
      okShare: ((statuses[200] ?? 0) + (statuses[201] ?? 0)) / answered,
      busy,
    };
  }

  /** What the processes use from now on until the result is called. */
  #watch(
    measured: readonly Measured[],
    redisPid: number | undefined,
  ): () => { cpuSeconds: number; waitedSeconds: number; busy: Busy } {
    const sum = (of: (pid: number) => number) => measured.reduce((total, { pid }) => total + of(pid), 0);
    const now = () => ({
      services: sum(cpuSeconds),
      redis: redisPid === undefined ? 0 : cpuSeconds(redisPid),
      generator: cpuSeconds(this.generator.process.pid),
      waited: sum(waitedSeconds),
    });
    const before = now();
    const startedMs = performance.now();
    return () => {
      const wallSeconds = (performance.now() - startedMs) / 1_000;
      const after = now();
      const share = (part: keyof Busy) => (after[part] - before[part]) / wallSeconds;
      return {
        cpuSeconds: after.services - before.services,
        waitedSeconds: after.waited - before.waited,
        busy: { services: share("services"), redis: share("redis"), generator: share("generator") },
      };
    };
  }

  echoLatency(baseline: Baseline, rate: number, durationMs: number): Promise<Latency> {
    return this.#latency(baseline, baseline.redisPid, { source: "echo" }, rate, durationMs);
  }

  matchLatency(
    world: ServedWorld,
    rate: number,
    durationMs: number,
    instance = firstOf(world),
  ): Promise<Latency> {
    return this.#latency(instance, world.redisPid, this.#matches(world), rate, durationMs);
  }

  impressionLatency(world: ServedWorld, rate: number, durationMs: number): Promise<Latency> {
    const kind: Kind = { source: "impressions", pool: String(world.size), path: IMPRESSIONS_PATH };
    return this.#latency(firstOf(world), world.redisPid, kind, rate, durationMs);
  }

  async #latency(
    measured: Measured,
    redisPid: number | undefined,
    kind: Kind,
    rate: number,
    durationMs: number,
  ): Promise<Latency> {
    const warmUpMs = durationMs / 4;
    const used = this.#watch([measured], redisPid);
    const result = await this.generator.open({ ...this.#load([measured]), warmUpMs, durationMs, rate }, kind);
    const { cpuSeconds: cpu, waitedSeconds: waited, busy } = used();
    const requests = (rate * (warmUpMs + durationMs)) / 1_000;
    const microseconds = (seconds: number) => (seconds / requests) * 1e6;
    return { ...result, cpuMicroseconds: microseconds(cpu), waitMicroseconds: microseconds(waited), busy };
  }

  #load(measured: readonly Measured[]): { ports: number[]; connections: number } {
    return { ports: measured.map(({ port }) => port), connections: CONNECTIONS };
  }

  async #startRedis(name: string): Promise<{ url: string; pid: number }> {
    const store = await startRedis({ dir: join(this.#run.directory, name) });
    this.#run.defer(() => store.stop());
    return store;
  }
}

/** For a table: the medians of some measurements. */
export function busyNote(samples: readonly { busy: Busy }[], measured = "service"): string {
  const share = (part: keyof Busy) => median(samples.map(({ busy }) => busy[part])).toFixed(2);
  return `cores: ${measured} ${share("services")}, Redis ${share("redis")}, generator ${share("generator")}`;
}

export function firstOf({ instances, size }: ServedWorld): Measured {
  const [first] = instances;
  if (first === undefined) throw new Error(`the world of ${size} campaigns has no instance`);
  return first;
}

async function answersReady(port: number): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const { status } = await fetch(`http://127.0.0.1:${port}/readyz`);
    if (status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("the service does not become ready");
}
