import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP proxy on 127.0.0.1 that replaces a text in what a server on 127.0.0.1 answers by another one of the same length. */
export async function startRewritingProxy(
  serverPort: number,
  { from, to }: { from: RegExp; to: string },
): Promise<{ port: number; stop(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const track = (socket: Socket, peer: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      sockets.delete(socket);
      peer.destroy();
    });
  };
  const server = createServer((client) => {
    const upstream = connect(serverPort, "127.0.0.1");
    track(client, upstream);
    track(upstream, client);
    client.pipe(upstream);
    upstream.on("data", (chunk) => client.write(chunk.toString("latin1").replace(from, to), "latin1"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
