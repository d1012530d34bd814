import { HttpError, otherMethodSentence, type RateLimitGroup } from "@diegetic/contracts";
import { requireAccess } from "./access.ts";
import type { AccountSemaphore } from "./account-semaphore.ts";
import { type AdmissionPolicy, admitAnyone, admitRequest, findCallerAgain } from "./admission.ts";
import { readBody } from "./body.ts";
import { Context, type Route } from "./context.ts";
import type { Answer, Caller, Endpoint } from "./endpoint.ts";
import type { Exchange } from "./exchange.ts";
import { Overloaded, toHttpError } from "./http-error.ts";
import type { RefusedRequestLog } from "./refused-request-log.ts";
import { requireSameOrigin } from "./same-origin.ts";
import { requireShownAccount } from "./shown-account.ts";

/** In place of a key or session for endpoints that require none. */
const ANYONE: Caller = {
  id: "",
  accountId: "",
  scopes: [],
  rateLimitPerMinute: null,
  rateLimitKeyId: "",
  accountLimits: { maxOwn: null },
};
/** The group of requests with an unknown path. */
export const UNKNOWN_PATH_GROUP: RateLimitGroup = "management";

export interface ServingPolicy extends AdmissionPolicy {
  /** Whether an error means that Redis or Postgres is unavailable; such errors become 503. */
  isStoreUnavailable: (error: unknown) => boolean;
  /** Origin that browsers use; undefined: the host of the request. */
  publicUrl: string | undefined;
  /** Logs requests that are refused because a store is unavailable. */
  refusedRequestLog: RefusedRequestLog;
  /** Of requests that read (`GET`, explanations), and of all others; undefined: all run at once. */
  semaphores: { reads: AccountSemaphore; others: AccountSemaphore } | undefined;
  /** Called for every error response to a caller with a valid key. */
  onFailure?: ((failure: Failure) => void) | undefined;
}

/** An error response to a caller with a valid key. */
export interface Failure {
  accountId: string;
  /** Path of the endpoint, in Express syntax. */
  path: string;
  status: number;
}

/**
 * Serves a request whose path is routed, from its key to its response. Never rejects. Checks run in the order of
 * docs/behaviour.md#order-of-checks. Both the fast path and Express call this function.
 * @param endpoints the endpoints of the path, one per method
 */
export async function serveRequest(
  policy: ServingPolicy,
  endpoints: readonly Endpoint[],
  route: Route,
  exchange: Exchange,
): Promise<void> {
  try {
    exchange.send(await answerRequest(policy, endpoints, route, exchange));
    policy.refusedRequestLog.served(exchange.request.method, exchange.route);
  } catch (error) {
    const status = sendError(policy, error, exchange);
    const { accountId, route: path } = exchange;
    if (accountId !== undefined) policy.onFailure?.({ accountId, path, status });
  }
}

async function answerRequest(
  policy: ServingPolicy,
  endpoints: readonly Endpoint[],
  route: Route,
  exchange: Exchange,
): Promise<Answer> {
  const { method } = exchange.request;
  const endpoint = endpoints.find((one) => one.method === (method === "HEAD" ? "GET" : method));
  exchange.route = endpoints[0]?.path ?? exchange.route;
  if (endpoint?.callers === "anyone") {
    await admitAnyone(policy, exchange); // 429
    if (endpoint.method !== "GET") requireSameOrigin(exchange, policy.publicUrl); // 403
    const rawBody = await readBodyOf(endpoint, exchange); // 415, 413
    return await endpoint.handle(
      new Context({ exchange, route, caller: ANYONE, group: endpoint.group, rawBody, policy }),
    );
  }
  const group = (endpoint ?? endpoints[0])?.group ?? UNKNOWN_PATH_GROUP;
  const admitted = admitRequest(policy, group, exchange); // 401, 429
  const caller = admitted instanceof Promise ? await admitted : admitted;
  if (!exchange.assignTo(caller.accountId)) throw new Overloaded();
  if (endpoint === undefined) {
    const allow = allowedMethods(endpoints).join(", ");
    throw new HttpError(405, otherMethodSentence(method, allow), { Allow: allow });
  }
  if (caller.session !== undefined && endpoint.method !== "GET")
    requireSameOrigin(exchange, policy.publicUrl);
  requireShownAccount(caller, exchange); // 409
  requireAccess(caller, endpoint); // 403
  const rawBody = await readBodyOf(endpoint, exchange); // 415, 413
  const isReading = endpoint.method === "GET" || group === "explain";
  const semaphore = isReading ? policy.semaphores?.reads : policy.semaphores?.others;
  const waiting = semaphore?.acquire(caller.accountId, exchange.response);
  if (waiting !== undefined) await waiting; // 503
  try {
    const context = new Context({ exchange, route, caller, group, rawBody, policy });
    if (rawBody.length === 0 && waiting === undefined) return await endpoint.handle(context);
    const counted = context.countBody(endpoint.bodyBytesPerRequest);
    if (counted !== undefined) await counted; // 429, 422
    const found = findCallerAgain(policy, exchange); // 401
    const current = found instanceof Promise ? await found : found;
    requireShownAccount(current, exchange); // 409
    requireAccess(current, endpoint); // 403
    context.caller = current;
    return await endpoint.handle(context);
  } finally {
    semaphore?.release(caller.accountId);
  }
}

/** HEAD is allowed wherever GET is. OPTIONS is not, because other origins have no access. */
function allowedMethods(endpoints: readonly Endpoint[]): string[] {
  return endpoints.flatMap(({ method }) => (method === "GET" ? [method, "HEAD"] : [method]));
}

/** The unparsed body; empty when the endpoint takes none. Throws, or rejects with, 413 and 415. */
function readBodyOf({ body }: Endpoint, exchange: Exchange): Promise<Buffer> {
  if (body === "none") return Promise.resolve(Buffer.alloc(0));
  const read = readBody(exchange);
  return body === "json" ? read : read.then((raw) => (raw.length === 0 ? Buffer.from("{}") : raw));
}

/** Responds with `{"detail": …}` and returns the status. Logs every 500, and 503 at a limited rate. */
export function sendError(
  policy: Pick<ServingPolicy, "isStoreUnavailable" | "refusedRequestLog">,
  error: unknown,
  exchange: Exchange,
): number {
  const known = toHttpError(error, policy.isStoreUnavailable);
  const { method } = exchange.request;
  if (known.status === 500) exchange.logger.error({ err: error, method }, "request failed");
  else if (known.status === 503 && !(known instanceof Overloaded)) {
    // An HttpError that was thrown on purpose explains itself; its stack adds nothing.
    const cause = error instanceof HttpError ? error.cause : error;
    policy.refusedRequestLog.add(known.message, `${method} ${exchange.route}`, {
      logger: exchange.logger,
      method,
      ...(cause !== undefined && { err: cause }),
    });
  }
  if (exchange.response.headersSent) {
    exchange.response.destroy();
    return known.status;
  }
  exchange.send({ status: known.status, body: { detail: known.message }, headers: known.headers });
  return known.status;
}
