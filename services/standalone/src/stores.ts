import { createConnection } from "node:net";
import { DatabaseUnavailable, unusableDatabase } from "@diegetic/database";
import { describeRedisUnavailable, unusableRedis } from "@diegetic/hot-state";
import { SetupError } from "@diegetic/local-stores";
import { type Environment, readSettings } from "@diegetic/service-kit";
import { isStackRunning } from "./data-directory/lock.ts";
import { readStackFile } from "./data-directory/stack-file.ts";
import { readDataDir, STORE_SETTINGS } from "./settings.ts";

const DEFAULT_PORTS = { Postgres: 5_432, Redis: 6_379 };
const CONNECT_TIMEOUT_MS = 5_000;

/** The stores that the operator sets; undefined: the store of the stack of DATA_DIR. */
export interface NamedStores {
  databaseUrl: string | undefined;
  redisUrl: string | undefined;
}

/** Reads DATABASE_URL and REDIS_URL. Throws SettingsError, whose message contains no passwords. */
export function readNamedStores(environment: Environment): NamedStores {
  return readSettings(environment, { settings: {}, secrets: STORE_SETTINGS }).secrets;
}

/**
 * Finds the stores in the environment or in the running stack, and checks that both answer. Throws SetupError with a
 * sentence that says what to do.
 */
export async function findStores(
  environment: Environment,
): Promise<{ databaseUrl: string; redisUrl: string }> {
  const named = readNamedStores(environment);
  const { databaseUrl, redisUrl } = named;
  if (databaseUrl && redisUrl) {
    await expectUsable(named);
    return { databaseUrl, redisUrl };
  }
  if (databaseUrl || redisUrl) {
    const [given, missing] = databaseUrl ? ["DATABASE_URL", "REDIS_URL"] : ["REDIS_URL", "DATABASE_URL"];
    throw new SetupError(
      `${given} is set and ${missing} is not: set both, since stores of two installations never agree, or unset ${given} to use the stack of DATA_DIR.`,
    );
  }
  const dataDir = readDataDir(environment);
  const stack = readStackFile(dataDir);
  if (stack === undefined) {
    throw new SetupError(
      `No stack runs in ${dataDir}: start it by npm start, select another directory by DATA_DIR, or name the stores by DATABASE_URL and REDIS_URL.`,
    );
  }
  await expectStackStore("Postgres", stack.databaseUrl, dataDir);
  await expectStackStore("Redis", stack.redisUrl, dataDir);
  return stack;
}

/**
 * Call this before anything is started, migrated or written. Rejects within seconds with one sentence for each store that
 * is set but cannot be used.
 */
export async function expectUsable({ databaseUrl, redisUrl }: NamedStores): Promise<void> {
  const problems = await Promise.all([
    databaseUrl && problemOf("DATABASE_URL", databaseUrl, DEFAULT_PORTS.Postgres, unusableDatabase),
    redisUrl && problemOf("REDIS_URL", redisUrl, DEFAULT_PORTS.Redis, unusableRedis),
  ]);
  const sentences = problems.filter((problem) => problem);
  if (sentences.length > 0) throw new SetupError(sentences.join("\n"));
}

/** One answering node of a cluster is enough. */
async function problemOf(
  variable: string,
  url: string,
  defaultPort: number,
  unusable: (url: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  const silent = await silentAddresses(url, defaultPort);
  if (silent === undefined) return unusable(url);
  return `${variable} names ${silent}, where nothing answers: start it, or unset ${variable}.`;
}

/** Throws SetupError for an unavailable store, and any other error again. */
export function throwUnavailable(error: unknown): never {
  const unavailable = error instanceof DatabaseUnavailable ? error.message : describeRedisUnavailable(error);
  throw unavailable === undefined ? error : new SetupError(unavailable);
}

/** Checks the store, because a killed stack leaves its file behind but no running stores. */
export async function expectStackStore(
  name: keyof typeof DEFAULT_PORTS,
  url: string,
  dataDir: string,
): Promise<void> {
  const silent = await silentAddresses(url, DEFAULT_PORTS[name]);
  if (silent === undefined) return;
  throw new SetupError(
    isStackRunning(dataDir)
      ? `${name} of the stack in ${dataDir} does not answer at ${silent}: try again once it runs.`
      : `No stack runs in ${dataDir} any more: start it by npm start.`,
  );
}

/** The addresses of a store as text when none of them accepts connections; undefined: one does, or there is none. */
async function silentAddresses(url: string, defaultPort: number): Promise<string | undefined> {
  const addresses = addressesOf(url, defaultPort);
  // A Unix socket.
  if (addresses.every(({ host }) => host === "")) return undefined;
  const outcomes = await Promise.all(addresses.map(({ host, port }) => accepts(host, port)));
  if (outcomes.includes(true)) return undefined;
  return addresses.map(({ host, port }) => `${host}:${port}`).join(" or ");
}

function addressesOf(url: string, defaultPort: number): { host: string; port: number }[] {
  const authority = url.replace(/^[^:]+:\/\//, "").split(/[/?]/, 1)[0] ?? "";
  return authority
    .slice(authority.lastIndexOf("@") + 1)
    .split(",")
    .map((address) => {
      const [, host = address, port] = /^\[?([^\]]*?)\]?(?::(\d+))?$/.exec(address) ?? [];
      return { host, port: port === undefined ? defaultPort : Number(port) };
    });
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port, timeout: CONNECT_TIMEOUT_MS });
    const finish = (accepted: boolean) => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once("connect", () => finish(true));
    socket.once("timeout", () => finish(false));
    socket.once("error", () => finish(false));
  });
}
