import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, fstatSync, openSync, readSync, renameSync } from "node:fs";
import { SetupError, waitUntil } from "@diegetic/local-stores";
import type { Launched } from "./supervised.ts";

const READY_TIMEOUT_MS = 60_000;
/** After a restart, a service that waits for a store may answer 503 itself, and becomes ready once the store has recovered. */
const READY_AFTER_RESTART_TIMEOUT_MS = 10_000;
/** Longer than the time limit of a service's own checks. */
const PROBE_TIMEOUT_MS = 3_000;
/** Longer than a service's own time limit for draining. */
const STOP_TIMEOUT_MS = 15_000;
/** Bytes of the log of a failed start that are searched for the reason. */
const REASON_BYTES = 65_536;

export interface ServiceLaunch {
  name: string;
  /** Absolute path of the built entry file. */
  entry: string;
  /** Node options. */
  nodeOptions: readonly string[];
  environment: Record<string, string>;
  /** Receives the output; its name must end with `.log`. The first launch renames an existing file to `….previous.log`. */
  logFile: string;
  isRestart: boolean;
  /** Whether to wait for `/readyz` as well as for the start message. */
  untilReady: boolean;
  signal: AbortSignal;
}

export interface ServiceProcess extends Launched {
  /** Undefined for a service without an API. */
  port: number | undefined;
  metricsPort: number;
  send(message: object): void;
}

interface ReadyMessage {
  type: "ready";
  port?: number;
  metricsPort: number;
}

/**
 * Starts a service in its own process group, so that Ctrl-C reaches only the supervisor, and resolves when it is ready. The
 * service notices the end of this process by its IPC channel.
 */
export async function launchService(launch: ServiceLaunch): Promise<ServiceProcess> {
  if (!launch.isRestart && existsSync(launch.logFile)) {
    renameSync(launch.logFile, launch.logFile.replace(/\.log$/, ".previous.log"));
  }
  const log = openSync(launch.logFile, "a", 0o600);
  const logStart = fstatSync(log).size;
  const child = spawn(process.execPath, ["--enable-source-maps", ...launch.nodeOptions, launch.entry], {
    detached: true,
    stdio: ["ignore", log, log, "ipc"],
    env: { ...process.env, ...launch.environment },
  });
  closeSync(log);
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  const stop = () => stopChild(child, exited);
  const ready = await waitForStart(child, launch.signal);
  if (ready === undefined) {
    await stop();
    launch.signal.throwIfAborted();
    throw new SetupError(explainFailure(launch, logStart));
  }
  const unreadiness = launch.untilReady ? await waitUntilReady(ready.metricsPort, child, launch) : undefined;
  if (unreadiness !== undefined && !launch.isRestart) {
    await stop();
    launch.signal.throwIfAborted();
    throw new SetupError(`${launch.name} did not become ready (${unreadiness}): see ${launch.logFile}`);
  }
  return {
    pid: child.pid ?? 0,
    exited,
    stop,
    port: ready.port,
    metricsPort: ready.metricsPort,
    send(message) {
      // A failed send means that the process is ending; the exit handler deals with that.
      if (child.connected) child.send(message, () => {});
    },
  };
}

function waitForStart(child: ChildProcess, signal: AbortSignal): Promise<ReadyMessage | undefined> {
  return new Promise((resolve) => {
    const finish = (message: ReadyMessage | undefined) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
      resolve(message);
    };
    const giveUp = () => finish(undefined);
    const timer = setTimeout(giveUp, READY_TIMEOUT_MS);
    signal.addEventListener("abort", giveUp);
    child.once("exit", giveUp);
    child.once("error", giveUp);
    child.on("message", (message) => {
      if ((message as Partial<ReadyMessage>).type === "ready") finish(message as ReadyMessage);
    });
  });
}

/** Undefined when `/readyz` reports readiness; otherwise its report. */
async function waitUntilReady(
  metricsPort: number,
  child: ChildProcess,
  launch: ServiceLaunch,
): Promise<string | undefined> {
  let answer = "no answer";
  let ready = false;
  const probe = async () => {
    if (launch.signal.aborted || child.exitCode !== null || child.signalCode !== null) return true;
    const response = await fetch(`http://127.0.0.1:${metricsPort}/readyz`, {
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    }).catch(() => undefined);
    answer = (await response?.text().catch(() => undefined)) ?? "no answer";
    ready = response?.ok === true;
    return ready;
  };
  const timeoutMs = launch.isRestart ? READY_AFTER_RESTART_TIMEOUT_MS : READY_TIMEOUT_MS;
  await waitUntil(probe, timeoutMs);
  return ready ? undefined : answer;
}

async function stopChild(child: ChildProcess, exited: Promise<void>): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  const killer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(killer);
}

/** A service prints the reason of a failed start as plain text; all other lines of its log are JSON. */
function explainFailure({ name, logFile }: ServiceLaunch, logStart: number): string {
  const lines = readFrom(logFile, logStart).trim().split("\n");
  const sentences = lines.filter((line) => line !== "" && !line.startsWith("{")).slice(0, 12);
  if (sentences.length > 0) return sentences.join("\n");
  return `${name} did not become ready: see ${logFile}`;
}

function readFrom(path: string, start: number): string {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(REASON_BYTES);
    return bytes.toString("utf8", 0, readSync(file, bytes, 0, bytes.length, start));
  } finally {
    closeSync(file);
  }
}
