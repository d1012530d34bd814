import { tracing } from "@diegetic/tracing";
import type { Route } from "./context.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Exchange } from "./exchange.ts";
import { type ServingPolicy, serveRequest } from "./serve-request.ts";

/** `serveRequest`, in a span while tracing is on. */
export function serveTraced(
  policy: ServingPolicy,
  endpoints: readonly Endpoint[],
  route: Route,
  exchange: Exchange,
): Promise<void> {
  if (tracing === undefined) return serveRequest(policy, endpoints, route, exchange);
  const { methodLabel: method, requestId } = exchange;
  const path = endpoints[0]?.path ?? exchange.route;
  const attributes = {
    "http.request.method": method,
    "http.route": path,
    "diegetic.request_id": requestId,
  };
  const start = { name: `${method} ${path}`, kind: "server" as const, attributes };
  const caller = exchange.header("traceparent");
  return tracing.root(start, caller === undefined ? [] : [caller], async () => {
    exchange.traceFields = tracing?.logFields();
    await serveRequest(policy, endpoints, route, exchange);
    const { accountId, response } = exchange;
    tracing?.annotate({ "http.response.status_code": response.statusCode });
    if (accountId !== undefined) tracing?.annotate({ "diegetic.account_id": accountId });
    if (response.statusCode >= 500) tracing?.fail(String(response.statusCode));
  });
}
