import { setTimeout as sleep } from "node:timers/promises";
import {
  createMetrics,
  type ListeningServer,
  type Logger,
  listen,
  type RunningService,
  startOperationsServer,
} from "@diegetic/service-kit";
import { createManagement } from "./management.ts";
import type { ManagementSettings } from "./settings.ts";

const GRACE_MS = 5_000;
/** A proxy skips an instance that does not listen yet; one that listens but cannot serve would answer 503. */
const LISTEN_AFTER_MS = 5_000;

/**
 * Starts the whole service. Listens once everything is published, or after `listenAfterMs`, by default five seconds, and
 * then says why it does not serve. Rejects when Redis or the database is unusable;
 * if that is found later, `failed` resolves.
 */
export async function startManagement(
  settings: ManagementSettings,
  logger: Logger,
  { listenAfterMs = LISTEN_AFTER_MS } = {},
): Promise<RunningService> {
  const metrics = createMetrics({ service: "management", processMetrics: true });
  const management = createManagement({ settings, logger, metrics });
  const { host, port, metricsPort } = settings;
  let isListening = false;
  let isStarted = false;
  const api = () => {
    if (!isListening) throw new Error("the port is not open");
  };
  const start = () => {
    if (!isStarted) throw new Error("not everything is published yet");
  };
  let operations: ListeningServer | undefined;
  try {
    operations = await startOperationsServer({
      host,
      port: metricsPort,
      metrics,
      readiness: { ...management.readiness, start, api },
    });
    const { port: operationsPort, close: closeOperations } = operations;
    const starting = management.start().then(() => {
      isStarted = true;
    });
    await Promise.race([starting, sleep(listenAfterMs, undefined, { ref: false })]);
    const server = await listen(management.app, { host, port, portVariable: "PORT" });
    isListening = true;
    return {
      ports: { port: server.port, metricsPort: operationsPort },
      failed: starting.then(() => new Promise<never>(() => {})).catch((error: unknown) => error),
      async stop() {
        isListening = false;
        await server.close(GRACE_MS);
        await management.stop();
        await closeOperations(0);
      },
    };
  } catch (error) {
    await Promise.all([management.stop(), operations?.close(0)]);
    throw error;
  }
}
