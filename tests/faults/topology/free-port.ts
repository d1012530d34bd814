import { createServer } from "node:net";

const FIRST = 20_000;
const LAST = 29_999;

/** A free port of 127.0.0.1 below the ephemeral range, so that a stopped server finds its port free when it restarts. */
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
