import { type ChildProcess, fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { MATCH_NODE_OPTIONS } from "@diegetic/match";
import type { ClosedLoop, ClosedLoopResult } from "../generator/closed-loop.ts";
import type { OpenLoop, OpenLoopResult } from "../generator/open-loop.ts";
import type { Job, JobAnswer, Kind } from "./jobs.ts";

const READY_WITHIN_MS = 60_000;
const CLOCK_TICKS_PER_SECOND = 100;
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const path = (file: string) => new URL(`../processes/${file}`, import.meta.url).href;
const TYPESCRIPT = ["--conditions=@diegetic/source"];
/** Of every process of match and impressions and their baselines: what the probe costs is the same on both sides of a ratio. */
const WITH_PROBE = ["--import", path("probe.mjs")];
const BASELINE_FLAGS = [...TYPESCRIPT, ...WITH_PROBE];
/** For --import: removes tracing from the code of a process. */
export const WITHOUT_TRACING = path("without-tracing.mjs");

/** A measured process, or the generator. */
export interface Measured {
  pid: number;
  port: number;
  child: ChildProcess;
  stop(): Promise<void>;
}

export interface Probe {
  loop: {
    p50Ms: number;
    p99Ms: number;
    maxMs: number;
    maxCollectionMs: number;
    maxTurnMs: number;
  };
  residentBytes: number;
  usedBytes: number;
}

/** B, or R with a Redis. */
export function startBaseline(redisUrl?: string): Promise<Measured> {
  const environment: Record<string, string> = redisUrl === undefined ? {} : { REDIS_URL: redisUrl };
  return start(fileURLToPath(path("baseline.process.ts")), BASELINE_FLAGS, environment);
}

/** F2. */
export function startFastify(redisUrl: string): Promise<Measured> {
  return start(fileURLToPath(path("fastify.process.ts")), BASELINE_FLAGS, { REDIS_URL: redisUrl });
}

/** Reads and changes campaigns with only Express and pg. */
export function startPlainCampaigns(databaseUrl: string): Promise<Measured> {
  const file = fileURLToPath(path("plain-campaigns.process.ts"));
  return start(file, TYPESCRIPT, { DATABASE_URL: databaseUrl });
}

/** The minimal `node:http` server that runs the scripts of a match or an impression, started like an instance. */
export function startFloor(redisUrl: string): Promise<Measured> {
  const flags = [...BASELINE_FLAGS, ...MATCH_NODE_OPTIONS];
  return start(fileURLToPath(path("floor.process.ts")), flags, { REDIS_URL: redisUrl });
}

/** The built match service: `bundle`: as in production; `dist`: its modules, by which profiles tell where time goes. */
export type MatchBuild = "bundle" | "dist";

/** With the probe. */
export function startMatchService(
  redisUrl: string,
  instanceName: string,
  { nodeFlags = [], build = "bundle" }: { nodeFlags?: string[]; build?: MatchBuild } = {},
): Promise<Measured> {
  const flags = ["--expose-gc", ...WITH_PROBE, ...MATCH_NODE_OPTIONS, ...nodeFlags];
  return start(`${ROOT}services/match/${build}/main.js`, flags, {
    REDIS_URL: redisUrl,
    INSTANCE_NAME: instanceName,
    PLAYER_HASH_KEY: "k".repeat(32),
    AUTH_SECRET: "a secret of more than thirty-two characters",
    LOG_LEVEL: "warn",
  });
}

/** Forks a Node program that reports when it is ready, without inherited NODE_OPTIONS. */
export async function start(
  file: string,
  execArgv: string[],
  environment: Record<string, string>,
): Promise<Measured> {
  const { NODE_OPTIONS: _options, ...inherited } = process.env;
  const child = fork(file, { execArgv, env: { ...inherited, ...environment }, cwd: ROOT });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const ready = await nextMessage<{ port?: number }>(child, "ready");
  const stop = async () => {
    child.kill("SIGTERM");
    await exited;
  };
  return { pid: child.pid ?? 0, port: ready.port ?? 0, child, stop };
}

function nextMessage<Message>(child: ChildProcess, type: string): Promise<Message> {
  return new Promise((resolve, reject) => {
    const timeout = setTimeout(() => reject(new Error(`no message ${type}`)), READY_WITHIN_MS);
    const done = () => {
      clearTimeout(timeout);
      child.off("message", onMessage).off("exit", onExit);
    };
    const onMessage = (message: { type?: string }) => {
      if (message.type !== type) return;
      done();
      resolve(message as Message);
    };
    const onExit = () => {
      done();
      reject(new Error(`a process ended before its message ${type}`));
    };
    child.on("message", onMessage).once("exit", onExit);
  });
}

/**
 * State of the process since the last call.
 * @param collect after a full collection: only for memory, because much code is compiled again afterwards
 * @param watch observe every event-loop turn from now on, so that the next call reports the longest
 */
export function probe(measured: Measured, { collect = false, watch = false } = {}): Promise<Probe> {
  const answer = nextMessage<Probe>(measured.child, "probed");
  measured.child.send({ type: "probe", collect, watch });
  return answer;
}

/** Samples for a while what the main thread of a process with the probe does. Microseconds by module (probe.mjs). */
export async function profileOf(measured: Measured, durationMs: number): Promise<Record<string, number>> {
  const answer = nextMessage<{ modules: Record<string, number> }>(measured.child, "profiled");
  measured.child.send({ type: "profile", durationMs });
  return (await answer).modules;
}

/** Processor time of a process so far, user and system; NaN without /proc. */
export function cpuSeconds(pid: number): number {
  const fields = statOf(pid);
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND;
}

/** How long the main thread of a process has waited so far for a free core; NaN without /proc. */
export function waitedSeconds(pid: number): number {
  try {
    const [, waitedNs] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "latin1").split(" ");
    return Number(waitedNs) / 1e9;
  } catch {
    return Number.NaN;
  }
}

/** Processor time so far of a process and its descendants; NaN without /proc. */
export function cpuSecondsOfTree(pid: number): number {
  const children = childrenOf(pid);
  const own = cpuSeconds(pid) + endedChildrenCpuSeconds(pid);
  return children.reduce((sum, child) => sum + cpuSecondsOfTree(child), own);
}

/** Current memory of a process; NaN without /proc. */
export function residentBytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024;
  } catch {
    return Number.NaN;
  }
}

function endedChildrenCpuSeconds(pid: number): number {
  const fields = statOf(pid);
  return (Number(fields[13]) + Number(fields[14])) / CLOCK_TICKS_PER_SECOND;
}

function childrenOf(pid: number): number[] {
  try {
    const list = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1");
    return list.split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Fields of `/proc/<pid>/stat` from the state on; empty without /proc. */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

/** The load generator as a process. One job at a time. */
export class Generator {
  readonly process: Measured;

  private constructor(measured: Measured) {
    this.process = measured;
  }

  static async start(): Promise<Generator> {
    return new Generator(
      await start(fileURLToPath(path("generator.process.ts")), ["--expose-gc", ...TYPESCRIPT], {}),
    );
  }

  async closed(load: ClosedLoop, kind: Kind): Promise<ClosedLoopResult> {
    return (await this.#run({ loop: "closed", load, kind })) as ClosedLoopResult;
  }

  async open(load: OpenLoop, kind: Kind): Promise<OpenLoopResult> {
    return (await this.#run({ loop: "open", load, kind })) as OpenLoopResult;
  }

  async #run(job: Job): Promise<ClosedLoopResult | OpenLoopResult> {
    const { child } = this.process;
    const answer = new Promise<JobAnswer>((resolve, reject) => {
      const onExit = () => reject(new Error("the load generator has ended"));
      child.once("exit", onExit);
      child.once("message", (message) => {
        child.off("exit", onExit);
        resolve(message as JobAnswer);
      });
    });
    child.send(job);
    const done = await answer;
    if ("failed" in done) throw new Error(`the load generator: ${done.failed}`);
    return done.result;
  }
}
