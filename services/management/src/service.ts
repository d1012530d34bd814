import {
  createMetrics,
  type Logger,
  listen,
  type RunningService,
  startOperationsServer,
} from "@diegetic/service-kit";
import { createManagement } from "./management.ts";
import type { ManagementSettings } from "./settings.ts";

const GRACE_MS = 5_000;

/** Starts the whole service: publishes everything before the first request. */
export async function startManagement(settings: ManagementSettings, logger: Logger): Promise<RunningService> {
  const metrics = createMetrics({ service: "management", processMetrics: true });
  const management = createManagement({ settings, logger, metrics });
  try {
    await management.start();
    const operations = await startOperationsServer({
      host: settings.host,
      port: settings.metricsPort,
      metrics,
      readiness: management.readiness,
    });
    const server = await listen(management.app, {
      host: settings.host,
      port: settings.port,
      portVariable: "PORT",
    });
    return {
      ports: { port: server.port, metricsPort: operations.port },
      async stop() {
        await server.close(GRACE_MS);
        await management.stop();
        await operations.close(0);
      },
    };
  } catch (error) {
    await management.stop();
    throw error;
  }
}
