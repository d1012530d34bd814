import { eventually } from "@diegetic/testing/eventually";
import { isAlive } from "@diegetic/testing/stack";
import type { History } from "../history.ts";
import type { Random } from "../random.ts";
import type { ServiceName, Variant, World } from "../topology/world.ts";
import type { Market } from "../workload/traders.ts";

export interface FaultContext {
  world: World;
  market: Market;
  history: History;
  random: Random;
}

/** A fault that lasts for a limited time. */
export interface Fault {
  name: string;
  /** Faults of one track never overlap; those of different tracks do. */
  track: "stores" | "services";
  /** Default: both. */
  variants?: readonly Variant[];
  /** Needs the services' modules instead of their bundles. Default: false. */
  replacesModules?: boolean;
  /**
   * Injects and ends the fault, and returns brief evidence that it happened. Throws when it did not happen, because
   * then the run proves nothing.
   */
  inject(context: FaultContext): Promise<string>;
}

/** How long a fault waits for its preconditions: far more than a busy machine needs. Milliseconds. */
export const POSSIBLE_WITHIN_MS = 30_000;
/** The same for a fault that needs several services, some of which may be restarting. */
export const ALL_POSSIBLE_WITHIN_MS = 90_000;

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The process id of a service once it runs: one that could not start is restarted after a pause. */
export function runningPid({ stack }: World, service: ServiceName): Promise<number> {
  return eventually(() => (isAlive(stack.pidOf(service)) ? stack.pidOf(service) : null), {
    timeoutMs: POSSIBLE_WITHIN_MS,
  });
}

/** Throws unless the count is positive: a fault that affected nothing has not happened. */
export function requireCount(what: string, count: number): string {
  if (count <= 0) throw new Error(`${what}: none`);
  return `${what}: ${count}`;
}
