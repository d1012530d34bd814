import { quantile } from "../frame/statistics.ts";
import { type ClosedLoop, openAll } from "./closed-loop.ts";
import type { Connection } from "./connection.ts";
import type { RequestSource } from "./source.ts";

export interface OpenLoop extends ClosedLoop {
  /** Requests per second, evenly spaced, regardless of earlier answers. */
  rate: number;
}

export interface OpenLoopResult {
  answered: number;
  p50Ms: number;
  p99Ms: number;
  /** Send delay of requests that found a free connection: the generator's own share of the latency. */
  lateP99Ms: number;
}

/** Maximum sleep between two checks: timers of the event loop have only millisecond resolution. */
const MAX_NAP_MS = 0.05;
const SHORTEST_NAP_MS = 0.005;
const GIVE_UP_MS = 10_000;

/**
 * A fixed rate. Latency counts from the scheduled time, so that a stall of the server affects all requests scheduled
 * during it. Rejects at the first wrong answer.
 */
export async function runOpenLoop(loop: OpenLoop, source: RequestSource): Promise<OpenLoopResult> {
  let failure: Error | undefined;
  const connections = await openAll(loop, (error) => {
    failure ??= error;
  });
  try {
    const pace = new Pace(loop, source, connections);
    const give_up = performance.now() + loop.warmUpMs + loop.durationMs + GIVE_UP_MS;
    const nap = new Int32Array(new SharedArrayBuffer(4));
    while (!pace.isOver) {
      if (failure !== undefined) throw failure;
      if (performance.now() > give_up) throw new Error(`${loop.rate} requests a second are too many`);
      const restMs = Math.min(pace.sendDue(), MAX_NAP_MS);
      if (restMs > SHORTEST_NAP_MS) Atomics.wait(nap, 0, 0, restMs);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return pace.result();
  } finally {
    for (const connection of connections) connection.close();
  }
}

class Pace {
  readonly #loop: OpenLoop;
  readonly #source: RequestSource;
  readonly #idle: Connection[];
  /** Scheduled times of requests without a free connection. */
  readonly #waiting: number[] = [];
  readonly #latencies: number[] = [];
  readonly #lateness: number[] = [];
  readonly #countFromMs: number;
  readonly #endMs: number;
  #nextMs: number;
  #underWay = 0;
  #failure: Error | undefined;

  constructor(loop: OpenLoop, source: RequestSource, connections: readonly Connection[]) {
    this.#loop = loop;
    this.#source = source;
    this.#idle = [...connections];
    this.#nextMs = performance.now();
    this.#countFromMs = this.#nextMs + loop.warmUpMs;
    this.#endMs = this.#countFromMs + loop.durationMs;
  }

  get isOver(): boolean {
    if (this.#failure !== undefined) throw this.#failure;
    return this.#nextMs >= this.#endMs && this.#underWay === 0 && this.#waiting.length === 0;
  }

  /** Sends due requests. Returns the milliseconds until the next one. */
  sendDue(): number {
    const nowMs = performance.now();
    while (this.#nextMs <= nowMs && this.#nextMs < this.#endMs) {
      const connection = this.#idle.pop();
      if (connection === undefined) this.#waiting.push(this.#nextMs);
      else {
        this.#lateness.push(nowMs - this.#nextMs);
        this.#send(connection, this.#nextMs);
      }
      this.#nextMs += 1_000 / this.#loop.rate;
    }
    return this.#nextMs - performance.now();
  }

  result(): OpenLoopResult {
    return {
      answered: this.#latencies.length,
      p50Ms: quantile(this.#latencies, 0.5),
      p99Ms: quantile(this.#latencies, 0.99),
      lateP99Ms: quantile(this.#lateness, 0.99),
    };
  }

  #send(connection: Connection, intendedMs: number): void {
    const request = this.#source.next();
    if (request === undefined) {
      this.#failure = new Error("the requests have run out");
      return;
    }
    this.#underWay += 1;
    connection.send(request, (status, body) => {
      this.#underWay -= 1;
      try {
        this.#source.check(status, body, request);
      } catch (error) {
        this.#failure = error as Error;
      }
      if (intendedMs >= this.#countFromMs) this.#latencies.push(performance.now() - intendedMs);
      const waiting = this.#waiting.shift();
      if (waiting === undefined) this.#idle.push(connection);
      else this.#send(connection, waiting);
    });
  }
}
