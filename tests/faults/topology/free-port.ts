import { createServer } from "node:net";

const FIRST = 20_000;
const LAST = 29_999;

/**
 * A free port of 127.0.0.1 below those that outgoing connections get, so that a server that is unavailable for a while finds
 * its own free when it comes back.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1));
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
