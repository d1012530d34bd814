import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Route } from "./context.ts";
import type { Endpoint } from "./endpoint.ts";
import { Exchange, type ExchangeObserver } from "./exchange.ts";
import type { ServingPolicy } from "./serve-request.ts";
import { serveTraced } from "./serve-traced.ts";

/**
 * Serves latency-critical endpoints in front of Express, whose routing, middleware and wrapper objects cost more than the
 * rest of such a request. Accepts exactly `METHOD {basePath}{path}` with any query. Passes everything else, including
 * paths with parameters, to `otherwise`.
 */
export function fastPath(options: {
  basePath: string;
  endpoints: readonly Endpoint[];
  policy: ServingPolicy;
  observer: ExchangeObserver;
  otherwise: RequestListener;
}): RequestListener {
  const { policy, observer, otherwise } = options;
  const fast = new Map(
    options.endpoints
      .filter(({ path }) => /^[\w/-]+$/.test(path))
      .map((endpoint) => [`${endpoint.method} ${options.basePath}${endpoint.path}`, [endpoint]]),
  );
  return (request: IncomingMessage, response: ServerResponse) => {
    const url = request.url ?? "";
    const queryAt = url.indexOf("?");
    const endpoints = fast.get(`${request.method} ${queryAt < 0 ? url : url.slice(0, queryAt)}`);
    if (endpoints === undefined) otherwise(request, response);
    else void serveTraced(policy, endpoints, WITHOUT_PARTS, new Exchange(request, response, observer));
  };
}

const WITHOUT_PARTS: Route = { param: () => undefined };
