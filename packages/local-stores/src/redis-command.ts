import { createConnection } from "node:net";

const REPLY_TIMEOUT_MS = 2_000;

/**
 * Sends one inline command to a Redis on this machine and returns the first line of its reply, for the setup of servers.
 * Rejects when no server listens.
 */
export function redisCommand(port: number, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host: "127.0.0.1", port });
    let reply = "";
    socket.setEncoding("utf8").setTimeout(REPLY_TIMEOUT_MS);
    socket.once("connect", () => socket.write(`${command}\r\nQUIT\r\n`));
    socket.once("timeout", () => socket.destroy(new Error(`no reply from Redis on port ${port}`)));
    socket.on("data", (chunk: string) => {
      reply += chunk;
    });
    socket.once("error", reject);
    socket.once("close", () => resolve(reply));
  });
}
