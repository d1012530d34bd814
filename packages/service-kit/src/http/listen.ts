import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { StartError } from "../lifecycle/start-error.ts";

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** Longer than the usual idle time-out of a proxy in front, so that the proxy, not the service, ends a connection. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const IDLE_SWEEP_MS = 25;

export interface ListeningServer {
  port: number;
  /** Accepts nothing new, lets running requests end for up to `graceMs`, then cuts what is left. */
  close(graceMs: number): Promise<void>;
}

/** @param options.port 0: any free port. @param options.portVariable the setting to name when the port is taken. */
export async function listen(
  handler: RequestListener,
  options: { host: string; port: number; portVariable: string },
): Promise<ListeningServer> {
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    },
    handler,
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(explainListenError(error, options)));
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;

  const close = async (graceMs: number) => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    // A keep-alive connection becomes idle when its running request ends; `server.close` looks for idle ones only once.
    const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    await closed;
    clearInterval(sweep);
    clearTimeout(cut);
  };
  return { port, close };
}

function explainListenError(
  error: NodeJS.ErrnoException,
  options: { host: string; port: number; portVariable: string },
): Error {
  const address = `${options.host}:${options.port}`;
  if (error.code === "EADDRINUSE") {
    return new StartError(`Port ${address} is already in use: set ${options.portVariable} to a free port.`);
  }
  if (error.code === "EACCES") {
    return new StartError(
      `Port ${address} is not allowed here: set ${options.portVariable} to one above 1023.`,
    );
  }
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND") {
    return new StartError(`${options.host} is not an address of this machine: set HOST to one that is.`);
  }
  return error;
}
