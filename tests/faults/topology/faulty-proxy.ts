import { connect, createServer, type Server, type Socket } from "node:net";
import type { Random } from "../random.ts";

/** What the proxy does with traffic. */
export type ProxyMode =
  | { kind: "pass" }
  /** The server executes a request, but its reply never arrives: the connection ends instead. */
  | { kind: "drop-replies"; probability: number; random: Random }
  | { kind: "slow"; minMs: number; maxMs: number; random: Random }
  /** Connections stay open and new ones are accepted, but nothing passes. */
  | { kind: "half-open" }
  /** Every connection ends, and new ones end immediately. */
  | { kind: "cut" };

interface Link {
  client: Socket;
  upstream: Socket;
  /** Permanent: nothing passes, and neither side is notified. */
  silent: boolean;
}

/** A TCP proxy on 127.0.0.1 to a port of 127.0.0.1 that simulates network failures. */
export class FaultyProxy {
  readonly port: number;
  /** Effects so far: the evidence that a fault happened. */
  readonly counts = { repliesDropped: 0, connectionsCut: 0, chunksSlowed: 0, chunksHeld: 0 };
  readonly #server: Server;
  readonly #links: Set<Link>;
  readonly #mode: { current: ProxyMode };

  private constructor(server: Server, port: number, links: Set<Link>, mode: { current: ProxyMode }) {
    this.#server = server;
    this.port = port;
    this.#links = links;
    this.#mode = mode;
  }

  static async start(targetPort: () => number): Promise<FaultyProxy> {
    const links = new Set<Link>();
    const mode: { current: ProxyMode } = { current: { kind: "pass" } };
    let proxy: FaultyProxy | undefined;
    const server = createServer((client) => proxy?.accept(client, targetPort()));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, "127.0.0.1", resolve);
    });
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the proxy has no port");
    proxy = new FaultyProxy(server, address.port, links, mode);
    return proxy;
  }

  /** Connections that were blocked for a while break when traffic resumes, like half of the real ones. */
  set(mode: ProxyMode): void {
    const before = this.#mode.current.kind;
    this.#mode.current = mode;
    if (mode.kind === "cut" || before === "half-open") this.breakConnections();
  }

  breakConnections(): void {
    for (const link of this.#links) this.#break(link);
  }

  /**
   * Current connections stay open and receive nothing more, as if the server had vanished silently; new connections
   * work. Returns a function that counts those still open.
   */
  silence(): () => number {
    const silenced = [...this.#links];
    for (const link of silenced) link.silent = true;
    return () => silenced.filter((link) => this.#links.has(link)).length;
  }

  async stop(): Promise<void> {
    this.breakConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  private accept(client: Socket, targetPort: number): void {
    if (this.#mode.current.kind === "cut") {
      this.counts.connectionsCut += 1;
      client.on("error", () => undefined);
      client.destroy();
      return;
    }
    const upstream = connect(targetPort, "127.0.0.1");
    const link: Link = { client, upstream, silent: false };
    this.#links.add(link);
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        this.#links.delete(link);
        client.destroy();
        upstream.destroy();
      });
    }
    this.#carry(link, client, upstream, false);
    this.#carry(link, upstream, client, true);
  }

  #carry(link: Link, from: Socket, to: Socket, isReply: boolean): void {
    let queue = Promise.resolve();
    let queued = 0;
    from.on("data", (chunk: Buffer) => {
      const mode = this.#mode.current;
      if (link.silent) this.counts.chunksHeld += 1;
      else if (mode.kind === "drop-replies" && isReply && mode.random.chance(mode.probability)) {
        this.counts.repliesDropped += 1;
        this.#break(link);
      } else if (mode.kind === "half-open") {
        // The data is dropped: the connections break when the fault is over.
        this.counts.chunksHeld += 1;
      } else if (mode.kind === "slow" || queued > 0) {
        // Later chunks wait for a slow one.
        const delayMs = mode.kind === "slow" ? mode.random.integer(mode.minMs, mode.maxMs) : 0;
        this.counts.chunksSlowed += 1;
        queued += 1;
        queue = queue
          .then(() => new Promise<void>((resolve) => setTimeout(resolve, delayMs)))
          .then(() => {
            queued -= 1;
            if (!to.destroyed) to.write(chunk);
          });
      } else if (!to.write(chunk)) {
        from.pause();
        to.once("drain", () => from.resume());
      }
    });
  }

  #break(link: Link): void {
    this.counts.connectionsCut += 1;
    this.#links.delete(link);
    link.client.destroy();
    link.upstream.destroy();
  }
}
