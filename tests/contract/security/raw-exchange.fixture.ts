import { connect } from "node:net";

const SILENCE_MS = 60_000;

/** Sends bytes as they are, lines ended by CR LF, and answers everything that comes until the connection ends. */
export function rawExchange(port: number, lines: string[] | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    const chunks: Buffer[] = [];
    socket.setTimeout(SILENCE_MS, () =>
      socket.destroy(new Error("the connection stays open without an answer")),
    );
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "ECONNRESET" && error.code !== "EPIPE") reject(error);
    });
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
    socket.write(Buffer.isBuffer(lines) ? lines : Buffer.from(lines.join("\r\n"), "latin1"));
  });
}
