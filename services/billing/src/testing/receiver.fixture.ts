import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  /** Unix milliseconds. */
  atMs: number;
}

/** An HTTP server that receives events. */
export class Receiver {
  readonly url: string;
  readonly received: Received[] = [];
  /** Answers a request; default: 200. */
  answer: (response: ServerResponse, number: number) => void = (response) => void response.end("thanks");
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://localhost:${(server.address() as AddressInfo).port}/events`;
  }

  static async open(): Promise<Receiver> {
    const server = createServer().listen(0, "localhost");
    await once(server, "listening");
    const receiver = new Receiver(server);
    server.on("request", (request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body = Buffer.concat(chunks).toString("utf8");
        receiver.received.push({ headers: request.headers, body, atMs: Date.now() });
        receiver.answer(response, receiver.received.length);
      });
    });
    return receiver;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** Which of the secrets signed the request, by a calculation of its own. */
export function signersOf({ headers, body }: Received, secrets: readonly string[]): string[] {
  const header = String(headers["diegetic-signature"]);
  const [time = "", ...signatures] = header.split(",");
  return secrets.filter((secret) => {
    const hex = createHmac("sha256", secret)
      .update(`${time.slice(2)}.${body}`)
      .digest("hex");
    return signatures.includes(`v1=${hex}`);
  });
}
