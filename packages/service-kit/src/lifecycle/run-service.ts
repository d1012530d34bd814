import { StartError } from "../http/listen.ts";
import type { DescribeUnavailable } from "../observability/describe-error.ts";
import { createLogger, type Logger } from "../observability/logger.ts";
import { startTraces } from "../observability/traces.ts";
import { type Environment, SettingsError } from "../settings/settings.ts";
import type { TracingSettings } from "../settings/tracing.ts";

const STOP_TIMEOUT_MS = 10_000;

export interface RunningService {
  /** Sent to a parent process, such as `{ port: 41001, metricsPort: 41002 }`. */
  ports: Record<string, number>;
  /** Resolves to the error with which a start failed that went on after the ports were open. */
  failed?: Promise<unknown>;
  /** Drains: accepts nothing new, finishes running work, flushes buffers, closes connections. */
  stop(): Promise<void>;
}

/** Settings that every service has. */
type ProcessSettings = TracingSettings & { instanceName: string; logLevel: string };

export interface ServiceDefinition<S extends ProcessSettings> {
  name: string;
  /** Reads the environment; a `SettingsError` ends the process with its message. */
  readSettings(environment: Environment): S;
  start(settings: S, logger: Logger): Promise<RunningService>;
  /** Describes an unavailable store in logs and in the error of a failed start. */
  describeUnavailable?: DescribeUnavailable;
  /** Time limit of the drain. Default: 10 s. */
  stopTimeoutMs?: number;
}

/**
 * Runs a process: starts, reports to the parent, runs until SIGTERM, SIGINT or the end of the parent, drains, exits.
 * Exits with 0 after a clean stop; with 1 after a failed start, a crash or a drain that takes too long.
 */
export async function runService<S extends ProcessSettings>(service: ServiceDefinition<S>): Promise<void> {
  let stopRequested: (reason: string) => void = () => {};
  const stopReason = new Promise<string>((resolve) => {
    stopRequested = resolve;
  });
  process.on("SIGTERM", () => stopRequested("SIGTERM"));
  process.on("SIGINT", () => stopRequested("SIGINT"));
  if (process.send !== undefined) process.on("disconnect", () => stopRequested("the parent process is gone"));

  let logger: Logger;
  let running: RunningService;
  let stopTraces: () => Promise<void>;
  try {
    const settings = service.readSettings(process.env);
    logger = createLogger({
      service: service.name,
      instance: settings.instanceName,
      level: settings.logLevel,
      ...(service.describeUnavailable && { describeUnavailable: service.describeUnavailable }),
    });
    exitOnCrash(logger);
    logger.info("starting");
    stopTraces = await startTraces(settings, logger);
    running = await service.start(settings, logger);
  } catch (error) {
    failStart(service, error);
  }
  logger.info({ ports: running.ports }, "started");
  if (process.connected) process.send?.({ type: "ready", ...running.ports });

  let exitCode = 0;
  void running.failed?.then((error) => {
    logger.fatal({ err: error }, "start failed");
    exitCode = 1;
    stopRequested("its start failed");
  });
  const reason = await stopReason;
  logger.info({ reason }, "stopping");
  const { stopTimeoutMs = STOP_TIMEOUT_MS } = service;
  const deadline = setTimeout(() => {
    logger.error({ stopTimeoutMs }, "stop timed out");
    process.exit(1);
  }, stopTimeoutMs);
  try {
    await running.stop();
  } catch (error) {
    logger.error({ err: error }, "stopped with an error");
    process.exit(1);
  }
  clearTimeout(deadline);
  await stopTraces();
  logger.info("stopped");
  process.exit(exitCode);
}

function exitOnCrash(logger: Logger): void {
  const crash = (error: unknown) => {
    logger.fatal({ err: error }, "crashed");
    process.exit(1);
  };
  process.on("uncaughtException", crash);
  process.on("unhandledRejection", crash);
}

function failStart(
  { name, describeUnavailable }: { name: string; describeUnavailable?: DescribeUnavailable },
  error: unknown,
): never {
  const unavailable = describeUnavailable?.(error);
  const known = unavailable !== undefined || error instanceof SettingsError || error instanceof StartError;
  const sentence = unavailable ?? (error instanceof Error ? error.message : String(error));
  process.stderr.write(`${name} cannot start: ${sentence}\n`);
  if (!known && error instanceof Error && error.stack !== undefined) process.stderr.write(`${error.stack}\n`);
  process.exit(1);
}
