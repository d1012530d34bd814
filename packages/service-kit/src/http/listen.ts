import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  maxHeaderSize,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import { type AddressInfo, Server as NetServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import {
  headersTooLargeSentence,
  NOT_HTTP_SENTENCE,
  TOO_MANY_NOT_HTTP_SENTENCE,
  TOO_SLOW_SENTENCE,
  WITHOUT_HOST_SENTENCE,
} from "@diegetic/contracts";
import { RefusedConnections, type RefusedConnectionVerdict } from "./refused-connections.ts";

/** A failed start whose cause the operator can fix; the message is one sentence for them. */
export class StartError extends Error {
  override name = "StartError";
}

/** Time limits, so that slow clients cannot hold connections. */
export interface RequestTimeouts {
  headersMs: number;
  /** For the whole request. */
  requestMs: number;
  /** For a client that neither sends nor reads anything while a response is due. Default: 60 000. */
  silenceMs?: number;
}

const TIMEOUTS: RequestTimeouts = { headersMs: 10_000, requestMs: 30_000 };
/** Longer than any response takes to begin. */
const SILENCE_MS = 60_000;
/** Pipelined requests of one connection whose responses wait behind another one; a client with more is disconnected. */
const MAX_WAITING_RESPONSES = 100;
/** Checks of open connections per time-out. */
const CHECKS_PER_TIMEOUT = 10;
/** Longer than usual idle time-outs of proxies, so that the proxy closes idle connections, not the service. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const IDLE_SWEEP_MS = 25;
/** Time for a refused client to read why. */
const REFUSED_LINGER_MS = 2_000;
/**
 * While closing, the server still accepts requests on open connections for this time, and answers with `Connection: close`:
 * a proxy with keep-alive connections may be sending at this moment.
 */
const LAST_REQUESTS_MS = 500;

export interface ListeningServer {
  port: number;
  /** Stops accepting connections, waits up to `graceMs` for running requests, then closes the remaining connections. */
  close(graceMs: number): Promise<void>;
}

/** @param options.port 0: any free port. @param options.portVariable setting to name when the port is in use. */
export async function listen(
  handler: RequestListener,
  options: { host: string; port: number; portVariable: string; timeouts?: RequestTimeouts },
): Promise<ListeningServer> {
  const timeouts = options.timeouts ?? TIMEOUTS;
  let isClosing = false;
  const server = createServer(
    {
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      connectionsCheckingInterval: timeouts.headersMs / CHECKS_PER_TIMEOUT,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      // Two Authorization headers are rejected: joined, they are malformed.
      joinDuplicateHeaders: true,
      // Node's default response has no body.
      requireHostHeader: false,
    },
    (request, response) => {
      lastExchanges.set(request.socket, { request, response });
      if (response.socket === null && !endWithConnection(response, request.socket)) return;
      if (isClosing) response.shouldKeepAlive = false;
      if (request.headers.host !== undefined || request.httpVersionMinor === 0) handler(request, response);
      else refuseWithoutHost(response, refused.take(request.socket.remoteAddress, Date.now()));
    },
  );
  server.timeout = timeouts.silenceMs ?? SILENCE_MS;
  const refused = new RefusedConnections();
  // Ignores unknown expectations: Node's default response has no body.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  server.on("clientError", (error, socket) => refuseConnection(error, socket, refused));
  server.listen(options.port, options.host);
  await once(server, "listening").catch((error) => {
    throw explainListenError(error, options);
  });
  // An accept that fails is of one connection, whose client sees it.
  server.on("error", () => undefined);
  const { port } = server.address() as AddressInfo;

  const close = async (graceMs: number) => {
    isClosing = true;
    // Only stops listening: the HTTP server's own method would also close idle connections at once, and only once.
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
    let sweep: NodeJS.Timeout | undefined;
    const lastRequests = setTimeout(
      () => {
        sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
      },
      Math.min(LAST_REQUESTS_MS, graceMs),
    );
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    await closed;
    clearTimeout(lastRequests);
    clearInterval(sweep);
    clearTimeout(cut);
    server.close(() => undefined); // Stops the checks for slow connections.
  };
  return { port, close };
}

const lastExchanges = new WeakMap<Duplex, { request: IncomingMessage; response: ServerResponse }>();

/** Whether what is written to a connection now is read as the answer to the request that arrives, not to an earlier one. */
function mayAnswer(socket: Duplex): boolean {
  const last = lastExchanges.get(socket);
  if (last === undefined) return true;
  const { request, response } = last;
  if (request.complete) return response.writableFinished;
  // The body of the last request is malformed or late.
  return response.socket !== null && !response.headersSent;
}

const waitingResponses = new WeakMap<Socket, Set<ServerResponse>>();

/**
 * Emits `close` on a response that waits behind another one when its connection ends, which Node does only from version 24
 * on. Otherwise the request would count as running forever. Ends the connection, and returns false, when too many wait.
 */
function endWithConnection(response: ServerResponse, socket: Socket): boolean {
  let waiting = waitingResponses.get(socket);
  if (waiting === undefined) {
    const all = new Set<ServerResponse>();
    waiting = all;
    waitingResponses.set(socket, all);
    socket.once("close", () => {
      for (const one of all) if (one.socket === null) one.emit("close");
    });
  }
  if (waiting.size >= MAX_WAITING_RESPONSES) {
    socket.destroy();
    return false;
  }
  waiting.add(response);
  response.once("close", () => waiting.delete(response));
  return true;
}

/** HTTP/1.1 requires the header; a request without it does not reach the application. */
function refuseWithoutHost(response: ServerResponse, verdict: RefusedConnectionVerdict): void {
  const [status, detail] = verdict.allowed ? WITHOUT_HOST : TOO_MANY;
  const headers = { ...verdict.headers, ...refusalHeaders() };
  response.writeHead(Number.parseInt(status, 10), headers).end(JSON.stringify({ detail }));
}

/** Answers malformed and late requests, which do not reach the application. */
function refuseConnection(
  error: NodeJS.ErrnoException,
  socket: Duplex & Partial<Pick<Socket, "remoteAddress">>,
  refused: RefusedConnections,
): void {
  if (error.code === "ECONNRESET" || !socket.writable || !mayAnswer(socket)) {
    socket.destroy();
    return;
  }
  const { allowed, headers } = refused.take(socket.remoteAddress, Date.now());
  const [status, detail] = allowed ? (REFUSALS[error.code ?? ""] ?? NO_REQUEST) : TOO_MANY;
  const body = JSON.stringify({ detail });
  socket.end(
    [
      `HTTP/1.1 ${status}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...Object.entries({ ...refusalHeaders(), ...headers }).map(([name, value]) => `${name}: ${value}`),
      "",
      body,
    ].join("\r\n"),
  );
  // Not at once: while the client still sends, that could take the answer from it.
  setTimeout(() => socket.destroy(), REFUSED_LINGER_MS).unref();
}

function refusalHeaders(): Record<string, string> {
  return {
    Connection: "close",
    "Content-Type": "application/json; charset=utf-8",
    "X-Request-Id": randomUUID(),
  };
}

const NO_REQUEST: [string, string] = ["400 Bad Request", NOT_HTTP_SENTENCE];
const WITHOUT_HOST: [string, string] = ["400 Bad Request", WITHOUT_HOST_SENTENCE];
const TOO_MANY: [string, string] = ["429 Too Many Requests", TOO_MANY_NOT_HTTP_SENTENCE];
const REFUSALS: Readonly<Record<string, [string, string]>> = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", headersTooLargeSentence(maxHeaderSize)],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", TOO_SLOW_SENTENCE],
};

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
