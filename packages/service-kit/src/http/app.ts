import type { RequestListener } from "node:http";
import { badEncoding, type RateLimitGroup } from "@diegetic/contracts";
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
import { AccountSemaphore } from "./account-semaphore.ts";
import { admitRequest, uncountedInOutage } from "./admission.ts";
import { clientAddresses } from "./client-address.ts";
import type { Endpoint, KeyDirectory, RateLimiter } from "./endpoint.ts";
import { createExchangeObserver, Exchange, type ExchangeObserver } from "./exchange.ts";
import { fastPath } from "./fast-path.ts";
import { notFound, Overloaded } from "./http-error.ts";
import { RefusedRequestLog } from "./refused-request-log.ts";
import { type Failure, type ServingPolicy, sendError, UNKNOWN_PATH_GROUP } from "./serve-request.ts";
import { serveTraced } from "./serve-traced.ts";
import { sessionCookieName } from "./session-cookie.ts";

/** Well below what clients wait for an answer. */
const DEFAULT_MAX_WAIT_MS = 10_000;

export interface AppOptions {
  /** `/api`, or an empty string for no prefix. */
  basePath: string;
  endpoints: readonly Endpoint[];
  keys: KeyDirectory;
  rateLimiter: RateLimiter;
  /** Requests per minute of keys that carry no limit of their own. */
  rateLimits: Record<RateLimitGroup, RateLimit>;
  /** The limit of all keys of an account together, as a multiple of the limit of one key. */
  rateLimitAccountFactor: number;
  logger: Logger;
  metrics: Metrics;
  readiness: ReadinessChecks;
  /** Further requests are answered 503 at once, except `/healthz` and `/readyz`. */
  maxConcurrentRequests: number;
  /**
   * Requests of one account that run at a time, of those that read and of others; its further ones wait, at most 10 s by
   * default. Default: no limit.
   */
  maxRunningPerAccount?: { reads: number; others: number; maxWaitMs?: number };
  /** Proxies whose `X-Forwarded-For` is trusted, as in TRUSTED_PROXIES. */
  trustedProxies: readonly string[];
  /** Origin that browsers use, such as `https://diegetic.example.com`; default: the host of the request, over http. */
  publicUrl?: string | undefined;
  /** Serves pages outside the API, without a key. */
  pages?: RequestHandler;
  /** Whether an error means that Redis or Postgres is unavailable; such errors become 503. */
  isStoreUnavailable?: (error: unknown) => boolean;
  /** Called for every error response to a caller with a valid key; must not throw. */
  onFailure?: (failure: Failure) => void;
  /** Serves endpoints without path parameters in front of Express; see fast-path.ts. */
  fastPath?: boolean;
  /** Unix milliseconds; default: the system clock. */
  nowMs?: () => number;
}

/**
 * Creates the application without listening: an optional fast path, then Express. Both pass every API request to
 * `serveRequest`.
 */
export function createApp(options: AppOptions): RequestListener {
  const observer = createExchangeObserver(options);
  const policy: ServingPolicy = {
    ...options,
    publicUrl: options.publicUrl,
    sessionCookie: sessionCookieName(options.publicUrl),
    running: observer.running,
    semaphores: options.maxRunningPerAccount && createSemaphores(options.maxRunningPerAccount),
    nowMs: options.nowMs ?? Date.now,
    addressOf: clientAddresses(options.trustedProxies),
    isStoreUnavailable: options.isStoreUnavailable ?? (() => false),
    refusedRequestLog: new RefusedRequestLog(options.logger),
  };
  const app = expressApp(options, policy, observer);
  if (!options.fastPath) return app;
  const { basePath, endpoints } = options;
  return fastPath({ basePath, endpoints, policy, observer, otherwise: app });
}

function createSemaphores({
  reads,
  others,
  maxWaitMs = DEFAULT_MAX_WAIT_MS,
}: NonNullable<AppOptions["maxRunningPerAccount"]>) {
  return {
    reads: new AccountSemaphore(reads, maxWaitMs),
    others: new AccountSemaphore(others, maxWaitMs),
  };
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
  const { basePath, pages } = options;
  const api = apiRouter(options.endpoints, policy);
  if (basePath !== "") app.use(basePath, api);
  if (pages !== undefined) {
    // Without a prefix, any path may be of the API, which turns its own requests away with rate limit headers.
    app.use(presetHeaders, basePath === "" ? [] : turnAwayWhenFull(policy), pages);
  }
  if (basePath === "") app.use(api);
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
    const mayBeUncounted = ofPath.some(({ answersWithoutLimits }) => answersWithoutLimits);
    const own = mayBeUncounted ? { ...policy, rateLimiter: uncountedInOutage(policy) } : policy;
    router.all(path, (request, response) => {
      const route = { param: (name: string) => request.params[name] };
      return serveTraced(own, ofPath, route, exchangeOf(response));
    });
  }
  router.use(async (_request: Request, response: Response) => {
    await admitRequest(policy, UNKNOWN_PATH_GROUP, exchangeOf(response));
    throw notFound("Path not found. /openapi.json lists all paths.");
  });
  // A path with invalid percent-encoding fails before any route, but must pass the same first checks.
  router.use(async (error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    if (!(error instanceof URIError)) throw error;
    await admitRequest(policy, UNKNOWN_PATH_GROUP, exchangeOf(response));
    throw badEncoding.error();
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
 * Pages have no limit by address, since one view of the dashboard loads dozens of files, which are in memory. They count as
 * concurrent requests.
 */
function turnAwayWhenFull(policy: ServingPolicy): RequestHandler {
  return (_request, _response, next) => next(policy.running.isFull ? new Overloaded() : undefined);
}

/** Pages respond through Express directly. */
function presetHeaders(_request: Request, response: Response, next: NextFunction): void {
  exchangeOf(response).presetHeaders();
  next();
}

function exchangeOf(response: Response): Exchange {
  return response.locals.exchange as Exchange;
}
