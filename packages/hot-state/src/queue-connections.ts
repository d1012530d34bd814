import type { RedisConnection } from "./connection.ts";

/**
 * Ends a connection in any state. BullMQ waits for the end event, which a connection between two attempts never emits;
 * one last attempt makes it emit the event.
 */
export function abandon(connection: RedisConnection): void {
  if (connection.status === "end") return;
  Object.assign(connection.options, { retryStrategy: () => null, clusterRetryStrategy: () => null });
  if (connection.status !== "reconnecting") connection.disconnect();
  else
    connection.connect().then(
      () => connection.disconnect(),
      () => undefined,
    );
}

/**
 * BullMQ duplicates the connection for its blocking reads. Closing a worker that waits for an unresponsive Redis
 * requires those duplicates. Returns the list that collects them.
 * @param onReady called whenever one of them is connected
 */
export function withDuplicates(connection: RedisConnection, onReady: () => void): RedisConnection[] {
  const connections = [connection];
  connection.on("error", () => undefined);
  connection.on("ready", onReady);
  const duplicate = connection.duplicate.bind(connection) as (...options: unknown[]) => RedisConnection;
  Object.assign(connection, {
    duplicate: (...options: unknown[]) => {
      const copy = duplicate(...options);
      copy.on("error", () => undefined); // The worker reports them for as long as it listens.
      copy.on("ready", onReady);
      connections.push(copy);
      return copy;
    },
  });
  return connections;
}
