/** A tiny service for run-service.test.ts: reports a request to its parent and answers it a moment later. */
import { listen } from "../http/listen.ts";
import { apiSettings, processSettings } from "../settings/common.ts";
import { readSettings } from "../settings/settings.ts";
import { runService } from "./run-service.ts";

await runService({
  name: "fixture",
  readSettings: (environment) =>
    readSettings(environment, {
      settings: { ...processSettings("fixture"), ...apiSettings },
      secrets: {},
    }).settings,
  ...(process.env.STOP === "never" && { stopTimeoutMs: 500 }),
  start: async (settings) => {
    const server = await listen(
      (_request, response) => {
        process.send?.({ type: "requested" });
        setTimeout(() => response.end("done"), 200);
      },
      { host: settings.host, port: settings.port, portVariable: "PORT" },
    );
    if (process.env.STOP === "crash") setTimeout(() => Promise.reject(new Error("unhandled")), 10);
    return {
      ports: { port: server.port },
      stop: () => (process.env.STOP === "never" ? new Promise<void>(() => {}) : server.close(5_000)),
    };
  },
});
