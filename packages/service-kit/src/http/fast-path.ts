import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Route } from "./context.ts";
import type { Endpoint } from "./endpoint.ts";
import { Exchange, type ExchangeObserver } from "./exchange.ts";
import { type ServingPolicy, serveRequest } from "./serve-request.ts";

/**
 * The way in front of Express for the endpoints that games wait for: routing, middleware and the objects that Express
 * puts around a request cost more than all the rest of it. Takes exactly `METHOD {basePath}{path}`, with any query;
 * whatever differs, in a letter or a slash, is left to `otherwise`, and so are paths with named parts.
 */
export function fastPath(options: {
  basePath: string;
  endpoints: readonly Endpoint[];
  policy: ServingPolicy;
  observer: ExchangeObserver;
  otherwise: RequestListener;
}): RequestListener {
  const { policy, observer, otherwise } = options;
  const lane = new Map(
    options.endpoints
      .filter(({ path }) => /^[\w/-]+$/.test(path))
      .map((endpoint) => [`${endpoint.method} ${options.basePath}${endpoint.path}`, [endpoint]]),
  );
  return (request: IncomingMessage, response: ServerResponse) => {
    const url = request.url ?? "";
    const queryAt = url.indexOf("?");
    const endpoints = lane.get(`${request.method} ${queryAt < 0 ? url : url.slice(0, queryAt)}`);
    if (endpoints === undefined) otherwise(request, response);
    else void serveRequest(policy, endpoints, WITHOUT_PARTS, new Exchange(request, response, observer));
  };
}

const WITHOUT_PARTS: Route = { param: () => undefined };
