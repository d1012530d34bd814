import { connect, type Socket } from "node:net";

const SILENCE_MS = 60_000;

/** Sends bytes as they are, lines ended by CR LF, and answers everything that comes until the connection ends. */
export function rawExchange(port: number, lines: string[] | Buffer): Promise<string> {
  return exchange(port, lines, (socket, bytes) => socket.write(bytes));
}

/** The same, but sends nothing more, and says so, while it still reads. */
export function cutOff(port: number, lines: string[]): Promise<string> {
  return exchange(port, lines, (socket, bytes) => socket.end(bytes));
}

function exchange(
  port: number,
  lines: string[] | Buffer,
  send: (socket: Socket, bytes: Buffer) => unknown,
): Promise<string> {
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
    send(socket, Buffer.isBuffer(lines) ? lines : Buffer.from(lines.join("\r\n"), "latin1"));
  });
}
