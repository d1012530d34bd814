import { existsSync } from "node:fs";
import { join } from "node:path";
import { createDatabase, type Database, installationId, migrate } from "@diegetic/database";
import { connectRedis, ForeignRedis, InstallationClaim, type RedisConnection } from "@diegetic/hot-state";
import { SetupError, startPostgres, waitUntil } from "@diegetic/local-stores";
import { ALL_SCOPES, createAccountWithKey, type KeyOptions } from "@diegetic/management";
import {
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
import { isInForce } from "./in-force.ts";
import { readDataDir } from "./settings.ts";
import { expectStackStore, expectUsable, readNamedStores } from "./stores.ts";

const STACK_READY_TIMEOUT_MS = 120_000;
/** Two rounds of 500 ms until management publishes the row, and up to two seconds for a suspended match instance. */
const VALID_TIMEOUT_MS = 5_000;
/** How long to ask a Redis whose it is; one that is down gets a key all the same. */
const OWNER_TIMEOUT_MS = 1_000;
const MAX_LABEL_CHARACTERS = 200;
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
  const { databaseUrl: named, redisUrl } = readNamedStores(process.env);
  if (named !== undefined) {
    await expectUsable({ databaseUrl: named, redisUrl: undefined });
    await migrate(named);
    const stores = { databaseUrl: named, redisUrl: redisUrl ?? redisBeside(named, dataDir) };
    return createInDatabase(stores, options, VALID_TIMEOUT_MS);
  }
  // The stack determines its Redis, whatever REDIS_URL is.
  if (isStackRunning(dataDir)) {
    const stack = await waitForStack(dataDir);
    await expectStackStore("Postgres", stack.databaseUrl, dataDir);
    return createInDatabase(stack, options, VALID_TIMEOUT_MS);
  }
  if (process.env.DATA_DIR?.trim()) expectDataDir(dataDir);
  else expectNoOtherStack(dataDir, runningStacks());
  return createInEmbeddedPostgres(dataDir, options);
}

/** The Redis of the stack of DATA_DIR, if that runs and uses this database. */
function redisBeside(databaseUrl: string, dataDir: string): string | undefined {
  const stack = isStackRunning(dataDir) ? readStackFile(dataDir) : undefined;
  return stack?.databaseUrl === databaseUrl ? stack.redisUrl : undefined;
}

/** Warns about what an account with only this key cannot do; undefined: nothing. Exported for its tests. */
export function scopesWarning({ scopes }: KeyOptions): string | undefined {
  if (scopes === undefined || scopes.some((scope) => scope !== "serving")) return undefined;
  return "Note: this account can own no game, since its only key serves alone. Make an account with all scopes, and its serving key by POST /api-keys.";
}

/** DATA_DIR must exist if set; otherwise a misspelt one would silently get a new stack. */
function expectDataDir(dataDir: string): void {
  if (existsSync(dataDir)) return;
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
  label: textSetting("--label", { maxLength: MAX_LABEL_CHARACTERS }),
  scopes: optional(listSetting("--scopes", ALL_SCOPES)),
  rateLimitPerMinute: optional(rateLimitSetting("--rate-limit", "unlimited")),
};

/** Exported for its tests. Throws UsageError. */
export function readKeyOptions(args: string[]): KeyOptions | "help" {
  return readOptions(args, KEY_OPTIONS, USAGE);
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

/**
 * Inserts the account and its key, which management publishes. Returns the key once it is in force; says so if that takes
 * longer than `timeoutMs`. A key that is stored is always returned. Throws SetupError for another installation's
 * Redis. Exported for tests.
 */
export async function createInDatabase(
  { databaseUrl, redisUrl }: { databaseUrl: string; redisUrl: string | undefined },
  options: KeyOptions,
  timeoutMs: number,
): Promise<string> {
  const database = createDatabase(databaseUrl, { poolSize: 1, applicationName: "key-command" });
  const redis = redisUrl === undefined ? undefined : connectRedis(redisUrl, { name: "key-command" });
  try {
    if (redis !== undefined) await refuseForeignRedis(database, redis);
    const { keyId, key } = await createAccountWithKey({ database }, options);
    const readRow = () => database.apiKey.findUniqueOrThrow({ where: { id: keyId } });
    if (!(await isInForce(readRow, redis, timeoutMs))) {
      say("The key is valid within two seconds once all services run.");
    }
    return key;
  } finally {
    redis?.disconnect();
    await database.$disconnect();
  }
}

async function refuseForeignRedis(database: Database, redis: RedisConnection): Promise<void> {
  const claim = new InstallationClaim(redis, () => installationId(database));
  let refusal: ForeignRedis | undefined;
  await waitUntil(
    () =>
      claim.verify().then(
        () => true,
        (error: unknown) => {
          if (error instanceof ForeignRedis) refusal = error;
          return refusal !== undefined;
        },
      ),
    OWNER_TIMEOUT_MS,
  );
  if (refusal !== undefined) throw new SetupError(refusal.message);
}

/** A stopped stack needs only Postgres, for a moment: management publishes the key when it starts. */
async function createInEmbeddedPostgres(dataDir: string, options: KeyOptions): Promise<string> {
  const lock = await lockDataDirectory(dataDir, "key");
  try {
    const postgres = await startPostgres({ dir: join(dataDir, "postgres"), onProgress: say });
    try {
      await migrate(postgres.url);
      return await createInDatabase({ databaseUrl: postgres.url, redisUrl: undefined }, options, 0);
    } finally {
      await postgres.stop();
    }
  } finally {
    lock.release();
  }
}
