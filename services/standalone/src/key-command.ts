import { existsSync } from "node:fs";
import { join } from "node:path";
import { createDatabase, createPipeline, installationId, migrate } from "@diegetic/database";
import {
  connectRedis,
  createMoneyCommands,
  ForeignRedis,
  InstallationClaim,
  SnapshotPublisher,
} from "@diegetic/hot-state";
import { SetupError, startPostgres, waitUntil } from "@diegetic/local-stores";
import { ALL_SCOPES, createAccountWithKey, type KeyOptions, Publishing } from "@diegetic/management";
import {
  createLogger,
  listSetting,
  optional,
  rateLimitSetting,
  readOptions,
  textSetting,
  UsageError,
} from "@diegetic/service-kit";
import { isStackRunning, lockDataDirectory } from "./data-directory/lock.ts";
import { runningStacks } from "./data-directory/running-stacks.ts";
import { readStackFile, type StackDescription } from "./data-directory/stack-file.ts";
import { expectStackStore, expectUsable, POSTGRES_PORT, readNamedStores } from "./external-stores.ts";
import { readDataDir } from "./settings.ts";

const STACK_READY_TIMEOUT_MS = 120_000;
const LABEL_MAX_CHARACTERS = 200;
const USAGE =
  "Usage: npm run --silent key -- --label NAME [--scopes advertiser,developer,serving] [--rate-limit N|unlimited]";

const say = (line: string) => process.stderr.write(`${line}\n`);

/** `npm run --silent key`: creates an account with one key in DATABASE_URL or in the stack of DATA_DIR, running or not. */
export async function runKeyCommand(args: string[]): Promise<void> {
  const options = readKeyOptions(args);
  if (options === "help") {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  const warning = scopesWarning(options);
  if (warning !== undefined) say(warning);
  const dataDir = readDataDir(process.env);
  process.stdout.write(`${await createKey(dataDir, options)}\n`);
}

async function createKey(dataDir: string, options: KeyOptions): Promise<string> {
  // Without DATABASE_URL, the stack determines its Redis, and REDIS_URL is ignored.
  if (process.env.DATABASE_URL?.trim()) {
    const named = readNamedStores(process.env);
    await expectUsable(named);
    const { databaseUrl = "", redisUrl } = named;
    await migrate(databaseUrl);
    return createInStores(databaseUrl, redisUrl, options);
  }
  if (isStackRunning(dataDir)) {
    const stack = await waitForStack(dataDir);
    await expectStackStore("Postgres", stack.databaseUrl, POSTGRES_PORT, dataDir);
    return createInStores(stack.databaseUrl, stack.redisUrl, options);
  }
  expectDataDir(dataDir, process.env.DATA_DIR);
  if (!process.env.DATA_DIR?.trim()) expectNoOtherStack(dataDir, runningStacks());
  return createInEmbeddedPostgres(dataDir, options);
}

/** Warns about what an account with only this key cannot do; undefined: nothing. Exported for its tests. */
export function scopesWarning({ scopes }: KeyOptions): string | undefined {
  if (scopes === undefined || scopes.some((scope) => scope !== "serving")) return undefined;
  return "Note: this account can own no game, since its only key serves alone. Make an account with all scopes, and its serving key by POST /api-keys.";
}

/** DATA_DIR must exist if set; otherwise a misspelt one would silently get a new stack. */
function expectDataDir(dataDir: string, named: string | undefined): void {
  if (!named?.trim() || existsSync(dataDir)) return;
  throw new SetupError(
    `DATA_DIR names ${dataDir}, which does not exist: correct it, or start a stack there first by npm start.`,
  );
}

/**
 * Without DATA_DIR, the user of a running stack expects the key there; a key in a new stack would be unknown to it. Throws
 * UsageError. Exported for its tests.
 */
export function expectNoOtherStack(dataDir: string, running: readonly string[]): void {
  const settings = running.map((other) => `DATA_DIR=${quoted(other)}`).join(" or ");
  if (existsSync(join(dataDir, "postgres"))) {
    if (running.length > 0)
      say(`Note: the key is made in the stack of ${dataDir}. For the one that runs set ${settings}.`);
    return;
  }
  if (running.length > 0) {
    throw new UsageError([
      `DATA_DIR is not set, and there is no stack in ${dataDir}, but another one runs: set ${settings} to make the key there, or start a stack in ${dataDir} first by npm start.`,
    ]);
  }
  say(`There is no stack yet: making one in ${dataDir}. DATA_DIR selects another.`);
}

/** Quotes a path for a shell. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

const KEY_OPTIONS = {
  label: textSetting("--label", { maxLength: LABEL_MAX_CHARACTERS }),
  scopes: optional(listSetting("--scopes", ALL_SCOPES)),
  rateLimitPerMinute: optional(rateLimitSetting("--rate-limit", "unlimited")),
};

/** Exported for its tests. Throws UsageError. */
export function readKeyOptions(args: string[]): KeyOptions | "help" {
  const values = readOptions(args, KEY_OPTIONS, USAGE);
  if (values === "help") return "help";
  const { label, scopes, rateLimitPerMinute } = values;
  return {
    label,
    ...(scopes && { scopes }),
    ...(rateLimitPerMinute !== undefined && { rateLimitPerMinute }),
  };
}

async function waitForStack(dataDir: string): Promise<StackDescription> {
  let stack = readStackFile(dataDir);
  if (stack === undefined) say("Waiting until the stack is ready …");
  await waitUntil(() => {
    stack = readStackFile(dataDir);
    return stack !== undefined;
  }, STACK_READY_TIMEOUT_MS);
  if (stack === undefined)
    throw new SetupError(`The stack of ${dataDir} did not become ready: see its terminal.`);
  return stack;
}

/** With Redis, the match tier knows the key when this returns; without it, after management publishes the key. */
async function createInStores(
  databaseUrl: string,
  redisUrl: string | undefined,
  options: KeyOptions,
): Promise<string> {
  const database = createDatabase(databaseUrl, { poolSize: 2, applicationName: "key-command" });
  const pipeline = createPipeline(databaseUrl, { poolSize: 1, applicationName: "key-command" });
  const redis = redisUrl ? connectRedis(redisUrl, { name: "key-command" }) : undefined;
  redis?.on("error", () => {});
  try {
    if (redis === undefined) return (await createAccountWithKey({ database }, options)).key;
    const claim = new InstallationClaim(redis, () => installationId(database));
    await claim.look().catch((error: unknown) => {
      // If Redis is unavailable, the key is published later; a Redis of another installation would never get it.
      if (error instanceof ForeignRedis) throw new SetupError(error.message);
    });
    const publishing = new Publishing({
      database,
      pipeline,
      claim,
      wallets: createMoneyCommands(redis),
      // Publishes only the key, on which no wallet depends.
      recovery: { restoreFrozen: async () => 0 },
      snapshot: new SnapshotPublisher(redis),
      nowMs: Date.now,
      logger: createLogger({ service: "key", instance: "key-command", level: "silent" }),
    });
    return (await createAccountWithKey({ database, publishing }, options)).key;
  } finally {
    redis?.disconnect();
    await Promise.all([pipeline.close(), database.$disconnect()]);
  }
}

/** A stopped stack only needs Postgres for a moment: management publishes the key when it starts. */
async function createInEmbeddedPostgres(dataDir: string, options: KeyOptions): Promise<string> {
  const lock = await lockDataDirectory(dataDir, "key");
  try {
    const postgres = await startPostgres({ dir: join(dataDir, "postgres"), onProgress: say });
    try {
      await migrate(postgres.url);
      return await createInStores(postgres.url, undefined, options);
    } finally {
      await postgres.stop();
    }
  } finally {
    lock.release();
  }
}
