import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, closeSync, fchmodSync, openSync, readFileSync, renameSync, statSync } from "node:fs";

/** A problem that the user can solve. The message says what is wrong and what to do; it is printed without a stack. */
export class SetupError extends Error {
  override readonly name = "SetupError";
}

/** Readable only by its owner. */
const LOG_MODE = 0o600;

export interface ServerCommand {
  executable: string;
  args: string[];
  /** File for the server's output; truncated at each start, so that it does not grow forever. */
  logFile: string;
  /** The signal for a clean shutdown. */
  stopSignal: "SIGTERM" | "SIGINT";
}

/** A server that takes longer to stop is killed. */
const STOP_TIMEOUT_MS = 20_000;

/** How to wait for the start of a store. */
export interface StartOptions {
  /** Ends the wait, and the server. */
  signal?: AbortSignal;
  onProgress?: (line: string) => void;
}

/** Long: after a crash, a store with much data takes minutes to recover. */
const READY_TIMEOUT_MS = 600_000;
const SLOW_START_MS = 10_000;

/** A server process in its own group: Ctrl-C in the terminal does not reach it, only `stop` does. */
export interface ServerProcess {
  pid: number;
  /** Settles when the process has ended, for any reason. */
  exited: Promise<void>;
  hasExited(): boolean;
  stop(): Promise<void>;
}

/** A server on 127.0.0.1 that this process started. Pass `port` to start it again at the same address. */
export interface RunningStore extends ServerProcess {
  url: string;
  port: number;
  /** Where a node of a Redis Cluster listens for the other nodes. */
  busPort?: number;
}

/**
 * Renames the log of a server that has ended to `….previous.log`, because it says why. Called once for all attempts of
 * the next start. An empty log says nothing, so it replaces none.
 */
export function keepPreviousLog(logFile: string): void {
  if ((statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  chmodSync(logFile, LOG_MODE);
  renameSync(logFile, logFile.replace(/\.log$/, ".previous.log"));
}

/**
 * Starts a server that ends with `stop` or with this process. A small watcher reads from a pipe that only this process
 * holds open, and stops the server when the pipe closes, even after SIGKILL of this process.
 */
export function startServerProcess(command: ServerCommand): ServerProcess {
  const log = openSync(command.logFile, "w", LOG_MODE);
  // Without this, an existing file would keep its mode.
  fchmodSync(log, LOG_MODE);
  const child = spawn(command.executable, command.args, { detached: true, stdio: ["ignore", log, log] });
  closeSync(log);
  let ended = false;
  const exited = new Promise<void>((resolve) => {
    const end = () => {
      ended = true;
      resolve();
    };
    child.once("exit", end);
    child.once("error", end);
  });
  const pid = child.pid;
  if (pid === undefined) throw new SetupError(`${command.executable} could not be started.`);
  child.unref();
  const watcher = startWatcher(pid, command.stopSignal);
  void exited.then(() => watcher.kill("SIGKILL"));
  return {
    pid,
    exited,
    hasExited: () => ended,
    async stop() {
      if (ended) return;
      child.kill(command.stopSignal);
      const killer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
      child.ref();
      await exited;
      clearTimeout(killer);
    },
  };
}

function startWatcher(pid: number, stopSignal: string): ChildProcess {
  const signalName = stopSignal.replace("SIG", "");
  const watcher = spawn("/bin/sh", ["-c", 'cat >/dev/null; kill -"$1" "$0"', String(pid), signalName], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  watcher.unref();
  const pipe = watcher.stdin as (NodeJS.WritableStream & { unref?: () => void }) | null;
  pipe?.unref?.();
  return watcher;
}

/**
 * The start time of a process, which distinguishes it from a later process with the same pid. Undefined: no such
 * process, or one that has ended and that nothing has reaped yet.
 */
export function processIdentity(pid: number): string | undefined {
  try {
    if (process.platform === "linux") {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const [state, startedAtTicks] = [fields[0], fields[19]];
      return state === "Z" ? undefined : startedAtTicks;
    }
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Signals a process that is not a child to stop, waits for its end, and kills it when it does not end. */
export async function stopStrayProcess(pid: number, signal: "SIGTERM" | "SIGINT"): Promise<void> {
  const identity = processIdentity(pid);
  if (identity === undefined) return;
  const isAlive = () => processIdentity(pid) === identity;
  process.kill(pid, signal);
  if (await waitUntil(() => !isAlive(), STOP_TIMEOUT_MS)) return;
  process.kill(pid, "SIGKILL");
  if (!(await waitUntil(() => !isAlive(), STOP_TIMEOUT_MS)))
    throw new SetupError(`Process ${pid} could not be stopped.`);
}

/** Whether the server accepts connections; false when it ended, or the wait was aborted. */
export async function becomesReady(
  name: string,
  server: Pick<ServerProcess, "hasExited">,
  isReady: () => boolean | Promise<boolean>,
  { signal, onProgress }: StartOptions,
  slowStartMs = SLOW_START_MS,
): Promise<boolean> {
  let ready = false;
  const isDecided = async () => {
    ready = !server.hasExited() && (await isReady());
    return ready || server.hasExited() || signal?.aborted === true;
  };
  if (!(await waitUntil(isDecided, slowStartMs))) {
    onProgress?.(`${name} is still starting: after a crash, it can take minutes to recover its data …`);
    await waitUntil(isDecided, READY_TIMEOUT_MS);
  }
  return ready;
}

/** Polls until the condition holds; false after the time limit. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  timeoutMs: number,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    if (await condition()) return true;
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
