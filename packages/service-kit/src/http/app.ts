import { randomUUID } from "node:crypto";
import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from "express";
import helmet from "helmet";
import type { Logger } from "../observability/logger.ts";
import type { Metrics } from "../observability/metrics.ts";
import { publicReadiness, type ReadinessChecks } from "../observability/readiness.ts";
import type { RateLimit } from "../settings/settings.ts";
import { type AdmissionPolicy, admitRequest } from "./admission.ts";
import { readBody } from "./body.ts";
import { createContext } from "./context.ts";
import type { Answer, ApiKey, Endpoint, EndpointGroup, KeyDirectory, RateLimiter } from "./endpoint.ts";
import {
  badRequest,
  forbidden,
  type HttpError,
  methodNotAllowed,
  notFound,
  toHttpError,
} from "./http-error.ts";

export interface AppOptions {
  /** `/api`, or the empty text for none. */
  basePath: string;
  endpoints: readonly Endpoint[];
  keys: KeyDirectory;
  rateLimiter: RateLimiter;
  /** Requests per minute of keys that carry no limit of their own. */
  rateLimits: Record<EndpointGroup, RateLimit>;
  logger: Logger;
  metrics: Metrics;
  readiness: ReadinessChecks;
  /** Proxies whose `X-Forwarded-For` is believed, as TRUSTED_PROXIES names them. */
  trustedProxies: readonly string[];
  /** What is served outside the API, without a key; asked before the API. */
  pages?: RequestHandler;
  /** Tells the errors of an absent Redis or Postgres, which become 503. */
  isStoreAway?: (error: unknown) => boolean;
  /** Unix milliseconds; default: the system clock. */
  nowMs?: () => number;
}

const METHODS_WITH_BODY = new Set(["POST", "PUT", "PATCH"]);
/** The group of requests whose path is unknown. */
const UNKNOWN_PATH_GROUP: EndpointGroup = "management";

/**
 * An Express application that does not listen yet. Every request of the API is checked in the order of semantics,
 * "Statuses of errors": 401, 429, (404 and 405 for unknown path and method), 403 for scope, 413 and 415, then the handler.
 */
export function createApp(options: AppOptions): Express {
  const app = express();
  app.set("trust proxy", [...options.trustedProxies]);
  app.set("etag", false);
  app.set("case sensitive routing", true);
  app.disable("x-powered-by");
  app.use(helmet());
  app.use(observe(options));
  app.get("/healthz", (_request, response) => send(response, { status: 200, body: { status: "ok" } }));
  const readiness = publicReadiness(options.readiness);
  app.get("/readyz", async (_request, response) => {
    const report = await readiness();
    send(response, { status: report.ready ? 200 : 503, body: report });
  });
  if (options.pages !== undefined) app.use(options.pages);
  app.use(options.basePath === "" ? "/" : options.basePath, apiRouter(options));
  app.use(() => {
    throw notFound(
      `There is nothing at this path: the API is below ${options.basePath}/, and its reference is at /docs.`,
    );
  });
  app.use(answerError(options));
  return app;
}

function apiRouter(options: AppOptions): Router {
  const policy: AdmissionPolicy = { ...options, nowMs: options.nowMs ?? Date.now };
  const router = Router({ caseSensitive: true, strict: true });
  for (const [path, endpoints] of byPath(options.endpoints)) {
    router.all(path, (request, response) => runEndpoint(policy, endpoints, request, response));
  }
  router.use(async (request: Request, response: Response) => {
    await admitRequest(policy, UNKNOWN_PATH_GROUP, request, response);
    throw notFound("There is no such path in this API: look it up in /openapi.json.");
  });
  // A path whose percent-encoding is broken fails before any route: it passes the same first checks.
  router.use(async (error: unknown, request: Request, response: Response, _next: NextFunction) => {
    if (!(error instanceof URIError)) throw error;
    await admitRequest(policy, UNKNOWN_PATH_GROUP, request, response);
    throw badRequest("The path is not validly percent-encoded: write a percent sign as %25.");
  });
  return router;
}

function byPath(endpoints: readonly Endpoint[]): Map<string, Endpoint[]> {
  const paths = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints) {
    paths.set(endpoint.path, [...(paths.get(endpoint.path) ?? []), endpoint]);
  }
  return paths;
}

async function runEndpoint(
  policy: AdmissionPolicy,
  endpoints: readonly Endpoint[],
  request: Request,
  response: Response,
): Promise<void> {
  const method = request.method === "HEAD" ? "GET" : request.method;
  const endpoint = endpoints.find((candidate) => candidate.method === method);
  response.locals.route = endpoints[0]?.path;
  const key = await admitRequest(
    policy,
    (endpoint ?? endpoints[0])?.group ?? UNKNOWN_PATH_GROUP,
    request,
    response,
  );
  if (endpoint === undefined) {
    const allow = allowedMethods(endpoints).join(", ");
    throw methodNotAllowed(`${request.method} is not possible here: use ${allow}.`, allow);
  }
  requireScope(key, endpoint);
  const rawBody = await readBodyOf(endpoint, request, response);
  const { requestId, logger } = localsOf(response);
  const context = createContext({ request, response, key, rawBody, requestId, logger, policy });
  send(response, await endpoint.handle(context));
}

/** HEAD goes wherever GET goes; OPTIONS nowhere, since browsers of other origins have no business here. */
function allowedMethods(endpoints: readonly Endpoint[]): string[] {
  return endpoints.flatMap(({ method }) => (method === "GET" ? [method, "HEAD"] : [method]));
}

/** Throws 403 (semantics: Key scopes). */
function requireScope(key: ApiKey, endpoint: Endpoint): void {
  const accepted = [endpoint.scope].flat();
  if (accepted.some((scope) => key.scopes.includes(scope))) return;
  throw forbidden(
    `This API key lacks the scope ${accepted.map((scope) => `"${scope}"`).join(" or ")}: use a key that has it.`,
  );
}

/** What was sent, unparsed; empty when the endpoint takes no body. Throws 413 and 415. */
async function readBodyOf(endpoint: Endpoint, request: Request, response: Response): Promise<Buffer> {
  const body = endpoint.body ?? (METHODS_WITH_BODY.has(endpoint.method) ? "json" : "none");
  if (body === "none") return Buffer.alloc(0);
  const raw = await readBody(request, response);
  return body === "optional" && raw.length === 0 ? Buffer.from("{}") : raw;
}

interface Locals {
  requestId: string;
  logger: Logger;
  /** Express path of the endpoint, for metrics. */
  route?: string;
}

function localsOf(response: Response): Locals {
  return response.locals as Locals;
}

/** Gives every request an id, a logger with it, a line in the log at debug and its place in the metrics. */
function observe(options: AppOptions) {
  const duration = options.metrics.histogram("http_request_duration_seconds", "Time from request to answer", [
    "method",
    "route",
    "status",
  ]);
  return (request: Request, response: Response, next: NextFunction) => {
    const startedMs = performance.now();
    const requestId = randomUUID();
    const locals: Locals = { requestId, logger: options.logger.child({ requestId }) };
    Object.assign(response.locals, locals);
    response.setHeader("X-Request-Id", requestId);
    response.setHeader("Cache-Control", "no-store");
    response.on("close", () => {
      const elapsedMs = performance.now() - startedMs;
      const labels = {
        method: request.method,
        route: localsOf(response).route ?? "other",
        status: response.writableFinished ? String(response.statusCode) : "aborted",
      };
      duration.observe(labels, elapsedMs / 1_000);
      locals.logger.debug({ ...labels, elapsedMs }, "answered");
    });
    next();
  };
}

function answerError(options: AppOptions) {
  const isStoreAway = options.isStoreAway ?? (() => false);
  return (error: unknown, request: Request, response: Response, _next: NextFunction) => {
    const known = toHttpError(error, isStoreAway);
    const { logger } = localsOf(response);
    if (known.status === 500) logger.error({ err: error, method: request.method }, "request failed");
    else if (known.status === 503) logger.warn({ err: error, method: request.method }, "request refused");
    if (response.headersSent) {
      response.destroy();
      return;
    }
    send(response, errorAnswer(known));
  };
}

function errorAnswer(error: HttpError): Answer {
  return { status: error.status, body: { detail: error.message }, headers: error.headers };
}

function send(response: Response, answer: Answer): void {
  response.statusCode = answer.status;
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  const { text } = answer;
  if (text === undefined && answer.body === undefined) {
    response.end();
    return;
  }
  const payload = Buffer.from(text?.content ?? JSON.stringify(answer.body));
  response.setHeader("Content-Type", `${text?.mediaType ?? "application/json"}; charset=utf-8`);
  response.setHeader("Content-Length", payload.length);
  response.end(payload);
}
