import type { RequestListener } from "node:http";
import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from "express";
import type { Logger } from "../observability/logger.ts";
import type { Metrics } from "../observability/metrics.ts";
import { publicReadiness, type ReadinessChecks } from "../observability/readiness.ts";
import type { RateLimit } from "../settings/settings.ts";
import { admitRequest } from "./admission.ts";
import { clientAddresses } from "./client-address.ts";
import type { Endpoint, EndpointGroup, KeyDirectory, RateLimiter } from "./endpoint.ts";
import { createExchangeObserver, Exchange, type ExchangeObserver } from "./exchange.ts";
import { fastPath } from "./fast-path.ts";
import { badRequest, notFound, Overloaded } from "./http-error.ts";
import { Refusals } from "./refusals.ts";
import {
  type Failure,
  type ServingPolicy,
  sendError,
  serveRequest,
  UNKNOWN_PATH_GROUP,
} from "./serve-request.ts";
import { sessionCookieName } from "./session-cookie.ts";

export interface AppOptions {
  /** `/api`, or the empty text for none. */
  basePath: string;
  endpoints: readonly Endpoint[];
  keys: KeyDirectory;
  rateLimiter: RateLimiter;
  /** Requests per minute of keys that carry no limit of their own. */
  rateLimits: Record<EndpointGroup, RateLimit>;
  /** All keys of an account together have this many times the limit of one. */
  rateLimitAccountFactor: number;
  logger: Logger;
  metrics: Metrics;
  readiness: ReadinessChecks;
  /** The others are answered 503 at once; `/healthz` and `/readyz` always answer. */
  requestsAtATime: number;
  /** Proxies whose `X-Forwarded-For` is believed, as TRUSTED_PROXIES names them. */
  trustedProxies: readonly string[];
  /** Origin that browsers use, such as `https://ads.example.com`; left out: whatever host a request names, over http. */
  publicUrl?: string | undefined;
  /** What is served outside the API, without a key; asked before the API. */
  pages?: RequestHandler;
  /** Tells the errors of an absent Redis or Postgres, which become 503. */
  isStoreUnavailable?: (error: unknown) => boolean;
  /** Called for every error that a caller with a valid key was answered; must not throw. */
  onFailure?: (failure: Failure) => void;
  /** Answers endpoints without named parts in their path in front of Express; see fast-path.ts. */
  fastPath?: boolean;
  /** Unix milliseconds; default: the system clock. */
  nowMs?: () => number;
}

/**
 * The application, which does not listen yet: the fast path where it is wanted, behind it Express. Every request of the API
 * passes `serveRequest`, whichever way it comes.
 */
export function createApp(options: AppOptions): RequestListener {
  const observer = createExchangeObserver(options);
  const policy: ServingPolicy = {
    ...options,
    publicUrl: options.publicUrl,
    sessionCookie: sessionCookieName(options.publicUrl),
    isFull: () => observer.running > options.requestsAtATime,
    nowMs: options.nowMs ?? Date.now,
    addressOf: clientAddresses(options.trustedProxies),
    isStoreUnavailable: options.isStoreUnavailable ?? (() => false),
    refusals: new Refusals(options.logger),
  };
  const app = expressApp(options, policy, observer);
  if (!options.fastPath) return app;
  const { basePath, endpoints } = options;
  return fastPath({ basePath, endpoints, policy, observer, otherwise: app });
}

function expressApp(options: AppOptions, policy: ServingPolicy, observer: ExchangeObserver): Express {
  const app = express();
  app.set("trust proxy", [...options.trustedProxies]);
  app.set("etag", false);
  app.set("case sensitive routing", true);
  app.disable("x-powered-by");
  app.use((request, response, next) => {
    response.locals.exchange = new Exchange(request, response, observer);
    next();
  });
  app.get("/healthz", (_request, response) =>
    exchangeOf(response).send({ status: 200, body: { status: "ok" } }),
  );
  const readiness = publicReadiness(options.readiness);
  app.get("/readyz", async (_request, response) => {
    const report = await readiness();
    exchangeOf(response).send({ status: report.ready ? 200 : 503, body: report });
  });
  if (options.pages !== undefined) {
    app.use(presetHeaders, turnAwayWhenFull(policy, options.basePath), options.pages);
  }
  app.use(options.basePath === "" ? "/" : options.basePath, apiRouter(options.endpoints, policy));
  app.use(() => {
    throw notFound(
      `There is nothing at this path: the API is below ${options.basePath}/, and its reference is at /docs.`,
    );
  });
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) =>
    sendError(policy, error, exchangeOf(response)),
  );
  return app;
}

function apiRouter(endpoints: readonly Endpoint[], policy: ServingPolicy): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const [path, ofPath] of byPath(endpoints)) {
    router.all(path, (request, response) => {
      const route = { param: (name: string) => request.params[name] };
      return serveRequest(policy, ofPath, route, exchangeOf(response));
    });
  }
  router.use(async (_request: Request, response: Response) => {
    await admitRequest(policy, UNKNOWN_PATH_GROUP, exchangeOf(response));
    throw notFound("Path not found. /openapi.json lists all paths.");
  });
  // A path whose percent-encoding is broken fails before any route: it passes the same first checks.
  router.use(async (error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    if (!(error instanceof URIError)) throw error;
    await admitRequest(policy, UNKNOWN_PATH_GROUP, exchangeOf(response));
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

/**
 * Pages have no limit by address, since one view of the dashboard takes dozens of files, which are in memory. They count among the
 * requests at a time; the API turns its own away, with the headers of their limits.
 */
function turnAwayWhenFull(policy: ServingPolicy, basePath: string): RequestHandler {
  return ({ path }, _response, next) =>
    next(policy.isFull() && !path.startsWith(`${basePath}/`) ? new Overloaded() : undefined);
}

/** Pages answer by Express' own means. */
function presetHeaders(_request: Request, response: Response, next: NextFunction): void {
  exchangeOf(response).presetHeaders();
  next();
}

function exchangeOf(response: Response): Exchange {
  return response.locals.exchange as Exchange;
}
