import { eventually } from "../../helpers/eventually.ts";
import { isAlive } from "../../helpers/stack.ts";
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

/** Something bad that happens for a limited time. */
export interface Fault {
  name: string;
  /** Faults of one track never overlap; those of different tracks do. */
  track: "stores" | "services";
  /** Default: both. */
  variants?: readonly Variant[];
  /**
   * Injects it, ends it, and answers the proof that it happened in a few words. Throws when it did not happen: then the
   * run proves nothing.
   */
  inject(context: FaultContext): Promise<string>;
}

/** How long a fault waits for what it needs: far more than a busy machine takes. Milliseconds. */
export const POSSIBLE_WITHIN_MS = 30_000;
/** And one that needs several services, some of which may just be starting again. */
export const ALL_POSSIBLE_WITHIN_MS = 90_000;

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The process of a service, as soon as it runs: one that could not start meanwhile is started again after a pause. */
export function runningPid({ stack }: World, service: ServiceName): Promise<number> {
  return eventually(() => (isAlive(stack.pidOf(service)) ? stack.pidOf(service) : null), {
    timeoutMs: POSSIBLE_WITHIN_MS,
  });
}

/** Throws unless something was counted: a fault that nothing ran into has not happened. */
export function requireCount(what: string, count: number): string {
  if (count <= 0) throw new Error(`${what}: none`);
  return `${what}: ${count}`;
}
