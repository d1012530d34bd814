import { DatabaseUnavailable } from "@diegetic/database";
import { describeRedisUnavailable } from "@diegetic/hot-state";
import { createMetrics, runService, startOperationsServer } from "@diegetic/service-kit";
import { createBillingService } from "./service.ts";
import { readBillingSettings } from "./settings.ts";

await runService({
  name: "billing",
  readSettings: (environment) => {
    const { settings, secrets } = readBillingSettings(environment);
    return { ...settings, secrets };
  },
  describeUnavailable: (error) =>
    error instanceof DatabaseUnavailable ? error.message : describeRedisUnavailable(error),
  start: async ({ secrets, ...settings }, logger) => {
    const metrics = createMetrics({ service: "billing", processMetrics: true });
    const service = createBillingService({ settings, secrets, logger, metrics });
    try {
      await service.expectUsableRedis();
      const operations = await startOperationsServer({
        host: settings.host,
        port: settings.metricsPort,
        metrics,
        readiness: service.readiness,
      });
      return {
        ports: { metricsPort: operations.port },
        stop: async () => {
          await service.stop();
          await operations.close(0);
        },
      };
    } catch (error) {
      await service.stop();
      throw error;
    }
  },
});
