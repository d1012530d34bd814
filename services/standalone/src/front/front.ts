import { randomUUID } from "node:crypto";
import { Agent, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import {
  type Logger,
  publicReadiness,
  type ReadinessChecks,
  uncountedLimitHeaders,
} from "@diegetic/service-kit";
import { createProxyServer, type ProxyServer } from "httpxy";
import { createRefusalLog, NoInstance } from "./refusal-log.ts";
import type { TargetDirectory } from "./targets.ts";

/** Far larger than match requests and impressions in practice. */
const MAX_BUFFERED_BODY_BYTES = 65_536;
/** Total limit, because bodies are buffered before any key is checked. */
const MAX_BUFFERED_BYTES = 32 * 1_048_576;
const ANSWER_TIMEOUT_MS = 30_000;
/** More than all instances of one machine accept together, so that usually the instances themselves answer 503. */
const MAX_CONCURRENT_REQUESTS = 8_192;
const RETRY_AFTER_SECONDS = 1;
const STARTING = "The service is starting or restarting: try again in a moment.";
const PROBE_TIMEOUT_MS = 2_000;

export interface FrontOptions {
  /** `/api`, or an empty string for no prefix. */
  basePath: string;
  targets: TargetDirectory;
  logger: Logger;
  /** Further requests are answered 503 at once. */
  maxConcurrentRequests?: number;
  /** Bodies beyond these limits pass through unbuffered. */
  maxBufferedBytes?: number;
}

/**
 * One address for the whole API (docs/behaviour.md#base-address): forwards `/match` and `/impressions` to the match
 * instances in turn, everything else to management. When an instance refuses the connection, retries on the next one,
 * unless the body is too large to buffer.
 */
export function createFront(options: FrontOptions): { handler: RequestListener; close(): void } {
  const { maxConcurrentRequests = MAX_CONCURRENT_REQUESTS } = options;
  // As many as requests: bodies that clients send slowly must not keep others from an instance.
  const agent = new Agent({ keepAlive: true, maxSockets: maxConcurrentRequests });
  const proxy = createProxyServer({
    agent,
    proxyTimeout: ANSWER_TIMEOUT_MS,
    // An instance that closes at the end of its answer, as a client asked, may cut off a body that it refuses unread.
    headers: { connection: "keep-alive" },
  });
  // Without waiting for a slow body, so that the instance checks the key and counts the request.
  proxy.on("proxyReq", (sent, request) => {
    if (!request.complete) sent.flushHeaders();
  });
  // Of the client's connection the front alone decides, as its own server is about to do.
  proxy.on("proxyRes", ({ headers }, _request, response) => {
    headers.connection = response.shouldKeepAlive ? "keep-alive" : "close";
    delete headers["keep-alive"];
  });
  const matchPaths = new Set([`${options.basePath}/match`, `${options.basePath}/impressions`]);
  const readiness = publicReadiness(frontReadiness(options.targets));
  const log = createRefusalLog(options.logger);
  let running = 0;
  const keep = bodyKeeper(options.maxBufferedBytes ?? MAX_BUFFERED_BYTES, maxConcurrentRequests / 8);
  const handler = (request: IncomingMessage, response: ServerResponse) => {
    const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
    if (path === "/healthz") {
      sendJson(response, 200, { status: "ok" });
      return;
    }
    if (path === "/readyz") {
      void readiness().then((report) => sendJson(response, report.ready ? 200 : 503, report));
      return;
    }
    if (running >= maxConcurrentRequests) {
      refuse(response, "There are too many requests at this moment: try again in a moment.");
      return;
    }
    running += 1;
    response.once("close", () => {
      running -= 1;
    });
    const toMatch = matchPaths.has(path);
    const origins = toMatch ? options.targets.match() : options.targets.management();
    const tier = toMatch ? "match" : "management";
    forward({ proxy, request, response, origins, keep }).then(
      () => log.forwarded(tier),
      (error: unknown) => {
        if (!response.destroyed) log.refused(tier, error);
        refuse(response);
      },
    );
  };
  return { handler, close: () => agent.destroy() };
}

/** Ready when management and at least one match instance are ready. */
export function frontReadiness(targets: TargetDirectory): ReadinessChecks {
  return {
    management: () => Promise.any(targets.management().map(expectReady)),
    match: () => Promise.any(targets.match().map(expectReady)),
  };
}

async function expectReady(origin: string): Promise<void> {
  const response = await fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
  if (!response.ok) throw new Error(`${origin} is not ready`);
}

interface Forwarding {
  proxy: ProxyServer;
  request: IncomingMessage;
  response: ServerResponse;
  origins: string[];
  keep: BodyKeeper;
}

async function forward({ proxy, request, response, origins, keep }: Forwarding): Promise<void> {
  // Ignores what clients send in this header, because rate limits use the address of the connection.
  request.headers["x-forwarded-for"] = request.socket.remoteAddress ?? "";
  request.headers["x-forwarded-proto"] = "http";
  const body = origins.length > 1 ? await keep(request, response) : undefined;
  const candidates = body === undefined ? origins.slice(0, 1) : origins;
  for (const [index, target] of candidates.entries()) {
    try {
      await proxy.web(request, response, { target, ...(body && { buffer: Readable.from(body) }) });
      return;
    } catch (error) {
      if (!isConnectionRefused(error) || index === candidates.length - 1) throw error;
    }
  }
  throw new NoInstance("none is running");
}

/** The connection was refused, so no process has received any part of the request. */
function isConnectionRefused(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ECONNREFUSED";
}

/** Buffers the body, so that it can be sent again; undefined: too large, of unknown size, or too many are awaited. */
type BodyKeeper = (request: IncomingMessage, response: ServerResponse) => Promise<Buffer[] | undefined>;

/** Reserves at most `maxBytes` by announced sizes, until the responses have ended, and awaits at most `maxAwaited` bodies. */
function bodyKeeper(maxBytes: number, maxAwaited: number): BodyKeeper {
  let keptBytes = 0;
  let awaited = 0;
  return async (request, response) => {
    const length = Number(
      request.headers["content-length"] ?? (request.headers["transfer-encoding"] ? Infinity : 0),
    );
    if (!(length <= MAX_BUFFERED_BODY_BYTES && keptBytes + length <= maxBytes)) return undefined;
    if (awaited >= maxAwaited) return undefined;
    keptBytes += length;
    response.once("close", () => {
      keptBytes -= length;
    });
    awaited += 1;
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } finally {
      awaited -= 1;
    }
    return chunks;
  };
}

function refuse(response: ServerResponse, detail = STARTING): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  response.setHeaders(new Map(Object.entries(uncountedLimitHeaders(Date.now()))));
  response.setHeader("X-Request-Id", randomUUID());
  response.setHeader("Retry-After", String(RETRY_AFTER_SECONDS));
  sendJson(response, 503, { detail });
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" }).end(JSON.stringify(body));
}
