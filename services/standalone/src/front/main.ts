import {
  apiSettings,
  createMetrics,
  listen,
  processSettings,
  readSettings,
  runService,
  startOperationsServer,
} from "@diegetic/service-kit";
import { createFront, frontReadiness } from "./front.ts";
import { isTargetsMessage, TargetDirectory } from "./targets.ts";

const DRAIN_MS = 8_000;

/** Shorter than those of the services, so that slow clients get the front's time-out response, which explains it. */
const CLIENT_TIMEOUTS = { headersMs: 10_000, requestMs: 25_000 };

await runService({
  name: "front",
  readSettings: (environment) =>
    readSettings(environment, { settings: { ...processSettings("front"), ...apiSettings }, secrets: {} })
      .settings,
  async start(settings, logger) {
    const targets = new TargetDirectory();
    process.on("message", (message) => {
      if (isTargetsMessage(message)) targets.replace(message.targets);
    });
    const front = createFront({ basePath: settings.basePath, targets, logger });
    const server = await listen(front.handler, {
      host: settings.host,
      port: settings.port,
      portVariable: "PORT",
      timeouts: CLIENT_TIMEOUTS,
    });
    const operations = await startOperationsServer({
      host: "127.0.0.1",
      port: settings.metricsPort,
      metrics: createMetrics({ service: "front", processMetrics: true }),
      readiness: frontReadiness(targets),
    });
    return {
      ports: { port: server.port, metricsPort: operations.port },
      async stop() {
        await server.close(DRAIN_MS);
        front.close();
        await operations.close(0);
      },
    };
  },
});
