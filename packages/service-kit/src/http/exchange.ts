import { randomUUID } from "node:crypto";
import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from "node:http";
import helmet, { type HelmetOptions } from "helmet";
import type { Logger } from "../observability/logger.ts";
import type { Metrics } from "../observability/metrics.ts";
import type { Answer, RateLimitVerdict } from "./endpoint.ts";
import { RunningRequests } from "./running-requests.ts";

/** Of every response that is not an answer of the API: pages and their files. */
const PAGE_HEADERS = constantHeaders({ xFrameOptions: { action: "deny" } });
/** Of every answer of the API: it loads nothing and is never framed, and headers that only affect documents are left out. */
const API_HEADERS = constantHeaders({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  xFrameOptions: { action: "deny" },
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
});

/** Names and values alternate; those of helmet are copied once. */
function constantHeaders(options?: HelmetOptions): readonly string[] {
  const headers = ["Cache-Control", "no-store"];
  const recorder = {
    setHeader: (name: string, value: string) => headers.push(name, value),
    removeHeader: () => undefined,
  };
  helmet(options)({} as IncomingMessage, recorder as unknown as ServerResponse, (error?: unknown) => {
    if (error !== undefined) throw error;
  });
  return headers;
}

/** Logs and counts exchanges. */
export interface ExchangeObserver {
  logger: Logger;
  /** Answers that a client has not read yet are no work. */
  running: RunningRequests;
  /** @param status of the response, or `aborted` when the client disconnected earlier */
  observe(labels: { method: string; route: string; status: string }, elapsedMs: number): void;
}

/** Logs every exchange at debug level and counts it in the metrics. */
export function createExchangeObserver(options: {
  logger: Logger;
  metrics: Metrics;
  maxConcurrentRequests: number;
}): ExchangeObserver {
  const duration = options.metrics.histogram("http_request_duration_seconds", "Time from request to answer", [
    "method",
    "route",
    "status",
  ]);
  return {
    logger: options.logger,
    running: new RunningRequests(options.maxConcurrentRequests),
    observe: (labels, elapsedMs) => duration.observe(labels, elapsedMs / 1_000),
  };
}

/** By what a request names its caller: an API key or the cookie of a session. */
export interface Credential {
  kind: "key" | "session";
  /** Of the key or cookie; undefined: there is no well-formed key. */
  sha256Hex: string | undefined;
}

/** Only longer answers are counted while they are unread. */
const LONG_ANSWER_BYTES = 64 * 1_024;

/** Others than these are callers' words. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** One request and its response in terms of `node:http`, independent of Express. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Path and query as sent. */
  readonly url: string;
  readonly requestId = randomUUID();
  /** Path template of the endpoint, for metrics. */
  route = "other";
  /** Read and hashed once; the caller is looked up once before and once after the body. Undefined: not read yet. */
  credential: Credential | undefined;
  /** Account of the valid key; undefined: no key, or not checked yet. */
  accountId: string | undefined;
  /** Of the recorded span, for the line that is logged after its end. */
  traceFields: object | undefined;
  /** The tightest limit so far, for the headers. */
  limit: RateLimitVerdict | undefined;
  readonly #observer: ExchangeObserver;
  readonly #startedMs = performance.now();
  #logger: Logger | undefined;
  #isRunning = true;
  /** `destroyed` of a response that waits behind another one says so only from Node 24 on. */
  #hasClosed = false;
  #assignedTo: string | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, observer: ExchangeObserver) {
    this.request = request;
    this.response = response;
    this.url = request.url ?? "/";
    this.#observer = observer;
    observer.running.begin();
    response.once("close", () => this.#observe());
  }

  /** Counts the request for its account until it is answered. Returns whether there is room for it. */
  assignTo(accountId: string): boolean {
    const { running } = this.#observer;
    if (this.#isRunning && this.#assignedTo === undefined) {
      this.#assignedTo = accountId;
      running.assign(accountId);
    }
    return !running.isFullFor(accountId);
  }

  /** Adds the request id to each line. */
  get logger(): Logger {
    this.#logger ??= this.#observer.logger.child({ requestId: this.requestId });
    return this.#logger;
  }

  /** The method in metrics and spans, which have few values. */
  get methodLabel(): string {
    const { method = "" } = this.request;
    return METHODS.has(method) ? method : "_OTHER";
  }

  /** @param name in lower case */
  header(name: string): string | undefined {
    const value = this.request.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  /** Sets the headers of pages and their files, which respond without `send`. */
  presetHeaders(): void {
    const headers = this.#ownHeaders().concat(PAGE_HEADERS);
    for (let at = 0; at < headers.length; at += 2) {
      this.response.setHeader(headers[at] ?? "", headers[at + 1] ?? "");
    }
  }

  /** Sends the response with exactly the headers that belong to it. */
  send(answer: Answer): void {
    const { response } = this;
    this.#endWork();
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    const headers: OutgoingHttpHeader[] = this.#ownHeaders();
    for (const name in answer.headers) headers.push(name, answer.headers[name] ?? "");
    if (answer.cookies !== undefined) headers.push("Set-Cookie", [...answer.cookies]);
    const { text } = answer;
    if (text === undefined && answer.body === undefined) {
      response.writeHead(answer.status, headers.concat(API_HEADERS)).end();
      return;
    }
    const content = text?.content ?? JSON.stringify(answer.body);
    headers.push("Content-Type", `${text?.mediaType ?? "application/json"}; charset=utf-8`);
    const bytes = Buffer.byteLength(content);
    headers.push("Content-Length", String(bytes));
    if (bytes > LONG_ANSWER_BYTES) this.#countUnread(bytes);
    response.writeHead(answer.status, headers.concat(API_HEADERS)).end(content);
  }

  #countUnread(bytes: number): void {
    const { accountId, response } = this;
    // After `close`, nobody would end the count.
    if (accountId === undefined || this.#hasClosed) return;
    const { running } = this.#observer;
    running.addUnread(accountId, bytes);
    response.once("close", () => running.addUnread(accountId, -bytes));
  }

  #ownHeaders(): string[] {
    const headers = ["X-Request-Id", this.requestId];
    if (this.limit === undefined) return headers;
    const { limit, remaining, resetUnixSeconds } = this.limit;
    headers.push("X-RateLimit-Limit", String(limit), "X-RateLimit-Remaining", String(remaining));
    headers.push("X-RateLimit-Reset", String(resetUnixSeconds));
    return headers;
  }

  #endWork(): void {
    if (this.#isRunning) this.#observer.running.end(this.#assignedTo);
    this.#isRunning = false;
  }

  #observe(): void {
    this.#hasClosed = true;
    this.#endWork();
    const { methodLabel: method, response, route } = this;
    const elapsedMs = performance.now() - this.#startedMs;
    const status = response.writableFinished ? String(response.statusCode) : "aborted";
    const labels = { method, route, status };
    this.#observer.observe(labels, elapsedMs);
    if (this.#observer.logger.isLevelEnabled("debug")) {
      this.logger.debug({ ...labels, elapsedMs, ...this.traceFields }, "answered");
    }
  }
}
