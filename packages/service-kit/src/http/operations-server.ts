import type { IncomingMessage, ServerResponse } from "node:http";
import type { Metrics } from "../observability/metrics.ts";
import { checkReadiness, type ReadinessChecks } from "../observability/readiness.ts";
import { type ListeningServer, listen } from "./listen.ts";

/** Serves `/metrics`, `/healthz` and `/readyz` on a port of its own, for every process; `service_ready` is that of `/readyz`. */
export function startOperationsServer(options: {
  host: string;
  port: number;
  metrics: Metrics;
  readiness: ReadinessChecks;
}): Promise<ListeningServer> {
  const help = "Whether the process can do its work, as /readyz says: 1 yes, 0 no";
  options.metrics.gauge("service_ready", help, [], async (gauge) => {
    gauge.set((await checkReadiness(options.readiness)).ready ? 1 : 0);
  });
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const path = (request.url ?? "/").split("?", 1)[0];
    if (path === "/metrics") {
      const { contentType, text } = await options.metrics.exposition();
      response.writeHead(200, { "content-type": contentType }).end(text);
    } else if (path === "/healthz") {
      sendJson(response, 200, { status: "ok" });
    } else if (path === "/readyz") {
      const report = await checkReadiness(options.readiness);
      sendJson(response, report.ready ? 200 : 503, report);
    } else {
      sendJson(response, 404, { detail: "There are /metrics, /healthz and /readyz here." });
    }
  };
  const handler = (request: IncomingMessage, response: ServerResponse) => {
    respond(request, response).catch((error: Error) => response.destroy(error));
  };
  return listen(handler, { host: options.host, port: options.port, portVariable: "METRICS_PORT" });
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" }).end(JSON.stringify(body));
}
