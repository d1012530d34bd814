import { DatabaseAway } from "@diegetic/database";
import { isRedisAway } from "@diegetic/hot-state";
import {
  createMetrics,
  type Logger,
  listen,
  type RunningService,
  StartError,
  startOperationsServer,
} from "@diegetic/service-kit";
import { createManagement } from "./management.ts";
import type { ManagementSettings } from "./settings.ts";

const GRACE_MS = 5_000;

/** Starts the whole service: everything is published before the first request is taken. */
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
    throw explainStart(error);
  }
}

function explainStart(error: unknown): unknown {
  if (error instanceof DatabaseAway) {
    return new StartError(`Postgres is not reached at DATABASE_URL: ${lastLine(error)}`);
  }
  if (isRedisAway(error) && error instanceof Error) {
    return new StartError(`Redis is not reached at REDIS_URL: ${lastLine(error)}`);
  }
  return error;
}

/** Prisma shows the code around a call that failed, and below it why. */
function lastLine({ message }: Error): string {
  return message.trim().split("\n").at(-1) ?? "";
}
