import { openAll } from "../generator/closed-loop.ts";
import { requireStatus } from "../generator/source.ts";

/** The result of a closed loop of requests. */
export interface Taken {
  seconds: number;
  /** Per request, milliseconds. */
  latencies: number[];
}

/**
 * Sends requests with the given concurrency: each connection sends the next one after the answer. Rejects at the first
 * answer that is not 200.
 */
export async function callAll(
  port: number,
  connections: number,
  requests: readonly Buffer[],
): Promise<Taken> {
  let fail: (error: Error) => void = () => undefined;
  const failure = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const opened = await openAll({ ports: [port], connections }, fail);
  const latencies: number[] = [];
  const startedMs = performance.now();
  let next = 0;
  const done = new Promise<void>((resolve) => {
    const send = (connection: (typeof opened)[number]) => {
      const request = requests[next];
      if (request === undefined) return;
      next += 1;
      const sentMs = performance.now();
      connection.send(request, (status, body) => {
        latencies.push(performance.now() - sentMs);
        try {
          requireStatus(status, [200], body);
        } catch (error) {
          return fail(error as Error);
        }
        if (latencies.length === requests.length) resolve();
        else send(connection);
      });
    };
    for (const connection of opened) send(connection);
  });
  try {
    await Promise.race([done, failure]);
    return { seconds: (performance.now() - startedMs) / 1_000, latencies };
  } finally {
    for (const connection of opened) connection.close();
  }
}
