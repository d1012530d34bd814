import { describeRedisUnavailable } from "@diegetic/hot-state";
import { createMetrics, listen, runService, startOperationsServer } from "@diegetic/service-kit";
import { createMatchService } from "./service.ts";
import { readMatchSettings } from "./settings.ts";

/** Time limit for running requests after a signal; reservations take milliseconds. */
const DRAIN_MS = 5_000;
/** A proxy skips an instance that does not listen yet; one that listens but cannot serve would answer 503. */
const LISTEN_AFTER_MS = 5_000;

await runService({
  name: "match",
  readSettings: (environment) => {
    const { settings, secrets } = readMatchSettings(environment);
    return { ...settings, secrets };
  },
  describeUnavailable: describeRedisUnavailable,
  start: async ({ secrets, ...settings }, logger) => {
    const metrics = createMetrics({ service: "match", processMetrics: true });
    const service = createMatchService({ settings, secrets, logger, metrics });
    const { host, port, metricsPort } = settings;
    let isListening = false;
    const api = () => {
      if (!isListening) throw new Error("the port is not open yet");
    };
    const operations = await startOperationsServer({
      host,
      port: metricsPort,
      metrics,
      readiness: { ...service.readiness, api },
    });
    // Listens even without a snapshot, and reports why it does not serve.
    await service.waitUntilFresh(LISTEN_AFTER_MS).catch(() => undefined);
    const server = await listen(service.app, { host, port, portVariable: "PORT" });
    isListening = true;
    return {
      ports: { port: server.port, metricsPort: operations.port },
      stop: async () => {
        await server.close(DRAIN_MS);
        await service.stop();
        await operations.close(0);
      },
    };
  },
});
