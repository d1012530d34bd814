import { Connection } from "./connection.ts";
import type { RequestSource } from "./source.ts";

export interface ClosedLoop {
  /** Target ports in turn: several instances get the same share. */
  ports: readonly number[];
  /** Each always has one request in flight. */
  connections: number;
  /** Not counted. */
  warmUpMs: number;
  /** Shorter when the requests run out. */
  durationMs: number;
  /** Maximum requests; default: no limit. */
  atMost?: number;
}

export interface ClosedLoopResult {
  answered: number;
  seconds: number;
  /** Including those before and after the counted time. */
  sent: number;
  /** Counted answers by status. */
  statuses: Record<number, number>;
}

/** Closed loop: sends the next request after each answer. Rejects at the first wrong answer. */
export async function runClosedLoop(loop: ClosedLoop, source: RequestSource): Promise<ClosedLoopResult> {
  let fail: (error: Error) => void = () => {};
  const failure = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const connections = await openAll(loop, fail);
  const statuses: Record<number, number> = {};
  let answered = 0;
  let sent = 0;
  let counting = false;
  let over = false;
  let underWay = 0;
  let ended: () => void = () => {};
  const end = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const sendNext = (connection: Connection) => {
    const request = over || sent >= (loop.atMost ?? Number.POSITIVE_INFINITY) ? undefined : source.next();
    if (request === undefined) {
      underWay -= 1;
      ended();
      return;
    }
    sent += 1;
    connection.send(request, (status, body) => {
      try {
        source.check(status, body, request);
      } catch (error) {
        fail(error as Error);
        return;
      }
      if (counting) {
        answered += 1;
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
      sendNext(connection);
    });
  };
  try {
    for (const connection of connections) {
      underWay += 1;
      sendNext(connection);
    }
    await Promise.race([wait(loop.warmUpMs), failure]);
    counting = true;
    const startedMs = performance.now();
    await Promise.race([wait(loop.durationMs), end, failure]);
    counting = false;
    const seconds = (performance.now() - startedMs) / 1_000;
    over = true;
    while (underWay > 0) await Promise.race([wait(1), failure]);
    return { answered, seconds, sent, statuses };
  } finally {
    for (const connection of connections) connection.close();
  }
}

export function openAll(
  { ports, connections }: Pick<ClosedLoop, "ports" | "connections">,
  onError: (error: Error) => void,
): Promise<Connection[]> {
  return Promise.all(
    Array.from({ length: connections }, (_, index) =>
      Connection.open(ports[index % ports.length] ?? 0, onError),
    ),
  );
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
