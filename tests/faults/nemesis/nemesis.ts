import type { Random } from "../random.ts";
import type { Variant } from "../topology/world.ts";
import { clusterFaults } from "./cluster-faults.ts";
import { endingFaults } from "./ending-faults.ts";
import type { Fault, FaultContext } from "./fault.ts";
import { sleep } from "./fault.ts";
import { fullMemoryFault } from "./full-memory-fault.ts";
import { lossFaults } from "./loss-faults.ts";
import { marketFaults } from "./market-faults.ts";
import { queueFaults } from "./queue-faults.ts";
import { restoreFault } from "./restore-fault.ts";
import { secondManagementFault } from "./second-management-fault.ts";
import { serviceFaults } from "./service-faults.ts";
import { storeFaults } from "./store-faults.ts";
import { timeFaults } from "./time-faults.ts";

export interface Injection {
  fault: string;
  startedMs: number;
  endedMs: number;
  /** Evidence that it happened, or the reason why it did not. */
  evidence: string;
  happened: boolean;
}

export interface PlannedFault {
  fault: Fault;
  /** Pause before it, milliseconds. */
  pauseMs: number;
  random: Random;
}

/** Between two faults of a track, some requests must succeed: only then there is money to lose. */
const PAUSES_MS = { stores: [1_000, 3_000], services: [0, 800] } as const;

export function faultsOf(variant: Variant): Fault[] {
  const all = [
    ...serviceFaults(),
    ...storeFaults(),
    ...lossFaults(),
    restoreFault(),
    fullMemoryFault(),
    ...queueFaults(),
    ...marketFaults(),
    ...endingFaults(),
    secondManagementFault(),
    ...timeFaults(),
    ...clusterFaults(),
  ];
  return all.filter(({ variants }) => variants === undefined || variants.includes(variant));
}

/** A random few of the faults that differ only in their target: every kind, in little time. */
export function fewOfEachKind(faults: readonly Fault[], random: Random): Fault[] {
  const kinds = ["SIGTERM ", "hang ", "clock of match|clock of billing|clock of management"];
  kinds.push("^(cut|slow|half-open) .* redis", "^(cut|slow|half-open) .* postgres");
  const rest = new Set(faults);
  const chosen: Fault[] = [];
  for (const kind of kinds) {
    const alike = faults.filter(({ name }) => new RegExp(kind).test(name));
    for (const fault of alike) rest.delete(fault);
    chosen.push(...random.shuffle(alike).slice(0, 2));
  }
  return [...chosen, ...rest];
}

/**
 * Derives the order of faults from a seed: every fault once, shuffled, then again. The duration of the run limits their
 * number.
 */
export function* schedule(
  faults: readonly Fault[],
  random: Random,
  rounds = Number.POSITIVE_INFINITY,
): Generator<PlannedFault> {
  for (let round = 0; round < rounds; round += 1) {
    for (const fault of random.fork(`round ${round}`).shuffle(faults)) {
      const own = random.fork(`round ${round} ${fault.name}`);
      const [least, most] = PAUSES_MS[fault.track];
      yield { fault, pauseMs: own.integer(least, most), random: own };
    }
  }
}

export interface NemesisOptions extends Omit<FaultContext, "random"> {
  faults: readonly Fault[];
  random: Random;
  /** Maximum injections per fault. Default: unlimited. */
  rounds?: number | undefined;
  /** No fault begins after this time. */
  durationMs: number;
  say(line: string): void;
}

/** Injects faults in two concurrent tracks: one for stores and connections, one for services and market. */
export async function runNemesis(options: NemesisOptions): Promise<Injection[]> {
  const injections: Injection[] = [];
  const endMs = Date.now() + options.durationMs;
  const runTrack = async (track: Fault["track"]) => {
    const faults = options.faults.filter((fault) => fault.track === track);
    if (faults.length === 0) return;
    for (const { fault, pauseMs, random } of schedule(faults, options.random.fork(track), options.rounds)) {
      await sleep(pauseMs);
      if (Date.now() >= endMs) return;
      injections.push(await injectOne(options, fault, random));
    }
  };
  await Promise.all([runTrack("stores"), runTrack("services")]);
  return injections;
}

async function injectOne(options: NemesisOptions, fault: Fault, random: Random): Promise<Injection> {
  const { world, market, history, say } = options;
  const startedMs = Date.now();
  const done = (evidence: string, happened: boolean): Injection => {
    const injection = { fault: fault.name, startedMs, endedMs: Date.now(), evidence, happened };
    const time = new Date(startedMs).toISOString().slice(11, 23);
    say(`${happened ? "  " : "! "}${time} ${fault.name} (${injection.endedMs - startedMs} ms): ${evidence}`);
    return injection;
  };
  try {
    return done(await fault.inject({ world, market, history, random }), true);
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? ` (${error.cause})` : "";
    const message = error instanceof Error ? error.message.split("\n", 1)[0] : String(error);
    return done(`did not happen: ${message}${cause}`, false);
  }
}
