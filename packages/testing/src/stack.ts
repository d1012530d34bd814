import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { processIdentity } from "@diegetic/local-stores";
import { createTestDatabase } from "./database.ts";
import { eventually } from "./eventually.ts";
import { startTestRedis } from "./redis.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** Only ends what hangs, before the time limit of a test does. */
const READY_TIMEOUT_MS = 270_000;
const STOP_TIMEOUT_MS = 60_000;

/** `DATA_DIR/stack.json`. */
export interface StackDescription {
  baseUrl: string;
  managementUrl: string;
  matchUrls: string[];
  databaseUrl: string;
  redisUrl: string;
  processes: { name: string; pid: number; metricsUrl: string | null }[];
}

export interface TestStack {
  /** The output of `npm start` so far. */
  output(): string;
  /** Reads stack.json again. */
  describe(): StackDescription;
  pidOf(name: string): number;
  /** Kills a process and waits until stack.json names its successor. */
  killAndAwaitRestart(name: string): Promise<void>;
  /** A new account's key, unlimited, by the key command. */
  createKey(label: string): Promise<string>;
  /** Ctrl-C in a terminal: SIGINT to the whole process group. Returns npm's exit code. */
  pressCtrlC(): Promise<number | null>;
  /** Sends a signal only to npm's own process, like `kill`. Returns npm's exit code. */
  killNpm(signal: NodeJS.Signals): Promise<number | null>;
  /** A closed terminal: nobody reads the output, and the whole process group gets SIGHUP. */
  closeTerminal(): void;
  /** Resolves with npm's exit code. */
  exited: Promise<number | null>;
  /** The supervisor's process id, not npm's. */
  supervisorPid(): number;
}

export interface StackOptions {
  dataDir: string;
  /** Additional environment variables; override PORT=0. */
  environment?: Record<string, string>;
  arguments?: string[];
}

/** Environment of a stack that runs on the Node of `npm test`, which may be older than the one that tests run on. */
export function withOwnNode(): Record<string, string> {
  const { OWN_NODE_PATH, PATH = "" } = process.env;
  return { PATH: OWN_NODE_PATH ?? PATH };
}

/** Runs the real `npm start` like a terminal, in its own process group. */
export function spawnStack(options: StackOptions): TestStack {
  const child = spawn("npm", ["start", "--", ...(options.arguments ?? [])], {
    cwd: ROOT,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: stackEnvironment(options.dataDir, options.environment),
  });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output += chunk;
  });
  // npm's own end, at which the terminal gets its prompt back: nothing may outlive it.
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const describe = () => readStackFile(options.dataDir);
  const pidOf = (name: string) => {
    const found = describe().processes.find((process) => process.name === name);
    if (found === undefined) throw new Error(`stack.json names no ${name}`);
    return found.pid;
  };
  return {
    output: () => output,
    describe,
    pidOf,
    exited,
    async killAndAwaitRestart(name) {
      const pid = pidOf(name);
      process.kill(pid, "SIGKILL");
      await eventually(() => pidOf(name) !== pid);
    },
    createKey: (label) => {
      const args = ["scripts/key.mjs", "--label", label, "--rate-limit", "unlimited"];
      return outputOf(process.execPath, args, options.dataDir);
    },
    async pressCtrlC() {
      signalGroup(child, "SIGINT");
      const timeout = setTimeout(() => signalGroup(child, "SIGKILL"), STOP_TIMEOUT_MS);
      const code = await exited;
      clearTimeout(timeout);
      return code;
    },
    killNpm(signal) {
      child.kill(signal);
      return exited;
    },
    closeTerminal() {
      child.stdout.destroy();
      child.stderr.destroy();
      signalGroup(child, "SIGHUP");
    },
    supervisorPid: () => JSON.parse(readFileSync(join(options.dataDir, "stack.lock"), "utf8")).pid,
  };
}

/** `spawnStack`, then waits until the stack is ready. */
export async function startStack(options: StackOptions): Promise<TestStack> {
  const stack = spawnStack(options);
  let ended = false;
  void stack.exited.then(() => {
    ended = true;
  });
  const isReady = () => ended || stack.output().includes("Ctrl-C stops everything.");
  await eventually(isReady, { timeoutMs: READY_TIMEOUT_MS }).catch(() => stack.pressCtrlC());
  if (!stack.output().includes("Ctrl-C stops everything.")) {
    throw new Error(`npm start did not become ready:\n${stack.output()}`);
  }
  return stack;
}

/**
 * `startStack` on a test database and a test Redis, which are there sooner than embedded ones. Both end with
 * `pressCtrlC`.
 */
export async function startStackOnTestStores(options: StackOptions): Promise<TestStack> {
  const [database, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
  const endStores = () => Promise.all([database.drop(), redis.stop()]);
  const environment = { DATABASE_URL: database.url, REDIS_URL: redis.url, ...options.environment };
  try {
    const stack = await startStack({ ...options, environment });
    const pressCtrlC = async () => {
      const code = await stack.pressCtrlC();
      await endStores();
      return code;
    };
    return { ...stack, pressCtrlC };
  } catch (error) {
    await endStores();
    throw error;
  }
}

/** Standard output of `npm run --silent key`. */
export function runKeyCommand(dataDir: string, args: string[]): Promise<string> {
  return outputOf("npm", ["run", "--silent", "key", "--", ...args], dataDir);
}

function outputOf(program: string, args: string[], dataDir: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd: ROOT, env: stackEnvironment(dataDir) };
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error) reject(new Error(stderr));
      else resolve(stdout.trim());
    });
  });
}

export function isAlive(pid: number): boolean {
  return processIdentity(pid) !== undefined;
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  process.kill(-child.pid, signal);
}

function readStackFile(dataDir: string): StackDescription {
  return JSON.parse(readFileSync(join(dataDir, "stack.json"), "utf8"));
}

function stackEnvironment(dataDir: string, extra: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { DATABASE_URL: _database, REDIS_URL: _redis, NODE_OPTIONS: _options, ...inherited } = process.env;
  return { ...inherited, PORT: "0", DATA_DIR: dataDir, ...extra };
}
