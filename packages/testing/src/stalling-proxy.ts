import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface StallingProxy {
  port: number;
  /** Blocks both directions; connections stay open, as if the other end were frozen. */
  stall(): void;
  /** Releases the blocked data and resumes. */
  resume(): void;
  /** Breaks all connections; accepts new ones. */
  breakConnections(): void;
  stop(): Promise<void>;
}

/**
 * A TCP proxy on 127.0.0.1 to a port of 127.0.0.1 that can be stalled and cut.
 * @param target the port, or a function that returns it for each new connection
 * @param port where it listens; default: any free port
 */
export async function startStallingProxy(target: number | (() => number), port = 0): Promise<StallingProxy> {
  const sockets = new Set<Socket>();
  let stalled = false;
  const track = (socket: Socket, peer: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      sockets.delete(socket);
      peer.destroy();
    });
    socket.pipe(peer);
    if (stalled) socket.pause();
  };
  const server = createServer((client) => {
    const upstream = connect(typeof target === "number" ? target : target(), "127.0.0.1");
    track(client, upstream);
    track(upstream, client);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stall() {
      stalled = true;
      for (const socket of sockets) socket.pause();
    },
    resume() {
      stalled = false;
      for (const socket of sockets) socket.resume();
    },
    breakConnections() {
      for (const socket of sockets) socket.destroy();
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
