import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { eventually } from "@diegetic/testing/eventually";

const READY_TIMEOUT_MS = 60_000;

/** A second process of a service, in addition to the supervised one; ends with this process, or by `stop`. */
export interface SecondService {
  pid: number;
  /** `http://127.0.0.1:<port>` */
  origin: string;
  /** Resolves when it has ended. */
  stop(signal: NodeJS.Signals): Promise<void>;
}

/** Starts the program of `pid` once more, with the same settings except name and ports. */
export async function startSecond(pid: number, name: string, logFile: string): Promise<SecondService> {
  const inProc = (file: string) => readFileSync(`/proc/${pid}/${file}`, "utf8").split("\0").slice(0, -1);
  const [program = "", ...args] = inProc("cmdline");
  const env: NodeJS.ProcessEnv = {};
  for (const line of inProc("environ")) {
    const at = line.indexOf("=");
    if (!line.startsWith("NODE_CHANNEL_")) env[line.slice(0, at)] = line.slice(at + 1);
  }
  const log = openSync(logFile, "a", 0o600);
  const child = spawn(program, args, {
    stdio: ["ignore", log, log, "ipc"],
    env: { ...env, INSTANCE_NAME: name, PORT: "0", METRICS_PORT: "0" },
  });
  closeSync(log);
  const stop = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await eventually(() => hasEnded(child), { timeoutMs: READY_TIMEOUT_MS });
  };
  let port: number | undefined;
  child.on("message", (message: { type?: string; port?: number }) => {
    if (message.type === "ready") port = message.port;
  });
  try {
    await eventually(() => port !== undefined || hasEnded(child), { timeoutMs: READY_TIMEOUT_MS });
    if (port === undefined) throw new Error(`${name} ended before it was ready`);
  } catch (error) {
    await stop("SIGKILL");
    throw error;
  }
  return { pid: child.pid ?? 0, origin: `http://127.0.0.1:${port}`, stop };
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
