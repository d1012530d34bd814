import { join } from "node:path";
import { parseArgs } from "node:util";
import { createDatabase, migrate } from "@diegetic/database";
import { connectRedis, createMoneyCommands, SnapshotPublisher } from "@diegetic/hot-state";
import { SetupError, startPostgres, waitUntil } from "@diegetic/local-stores";
import { ALL_SCOPES, createAccountWithKey, type KeyOptions, Publishing } from "@diegetic/management";
import { rateLimitSetting } from "@diegetic/service-kit";
import { DataDirectoryInUse, type DataDirectoryLock, lockDataDirectory } from "./data-directory/lock.ts";
import { readStackFile, type StackDescription } from "./data-directory/stack-file.ts";
import { readDataDir } from "./settings.ts";

const STACK_READY_TIMEOUT_MS = 120_000;
const LABEL_MAX_CHARACTERS = 200;
const USAGE =
  "npm run --silent key -- --label NAME [--scopes advertiser,developer,serving] [--rate-limit N|unlimited]";

const say = (line: string) => process.stderr.write(`${line}\n`);

/** `npm run --silent key`: a new account with one key, in the stack of DATA_DIR, whether it runs or not. */
export async function runKeyCommand(args: string[]): Promise<void> {
  const options = readKeyOptions(args);
  const dataDir = readDataDir(process.env);
  const lock = await lockUnlessRunning(dataDir);
  const key =
    lock === undefined
      ? await createInRunningStack(await waitForStack(dataDir), options)
      : await createInStoppedStack(dataDir, options).finally(() => lock.release());
  process.stdout.write(`${key}\n`);
}

/** Exported for its tests. Throws a sentence that says what is allowed. */
export function readKeyOptions(args: string[]): KeyOptions {
  const values = parseKeyArguments(args);
  const label = values.label?.trim() ?? "";
  if (label === "" || label.length > LABEL_MAX_CHARACTERS) {
    throw new SetupError(`--label is needed, with 1 to ${LABEL_MAX_CHARACTERS} characters: ${USAGE}`);
  }
  const options: KeyOptions = { label };
  if (values.scopes !== undefined) options.scopes = readScopes(values.scopes);
  const rateLimit = values["rate-limit"];
  if (rateLimit !== undefined) options.rateLimitPerMinute = readRateLimit(rateLimit);
  return options;
}

function parseKeyArguments(args: string[]) {
  const options = {
    label: { type: "string" },
    scopes: { type: "string" },
    "rate-limit": { type: "string" },
  } as const;
  try {
    return parseArgs({ args, options, allowPositionals: false }).values;
  } catch {
    throw new SetupError(`These arguments are not understood: ${USAGE}`);
  }
}

function readScopes(text: string): NonNullable<KeyOptions["scopes"]> {
  return text.split(",").map((name) => {
    const scope = ALL_SCOPES.find((candidate) => candidate === name.trim());
    if (scope === undefined)
      throw new SetupError(`--scopes has "${name}": it must be of ${ALL_SCOPES.join(", ")}.`);
    return scope;
  });
}

function readRateLimit(text: string): number | "unlimited" {
  try {
    return rateLimitSetting("", 1).parse(text);
  } catch (error) {
    throw new SetupError(`--rate-limit is "${text}": it must be ${(error as Error).message}.`);
  }
}

async function lockUnlessRunning(dataDir: string): Promise<DataDirectoryLock | undefined> {
  try {
    return await lockDataDirectory(dataDir, "key");
  } catch (error) {
    if (error instanceof DataDirectoryInUse) return undefined;
    throw error;
  }
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

/** The match tier knows the key when this returns. */
async function createInRunningStack(stack: StackDescription, options: KeyOptions): Promise<string> {
  const redis = connectRedis(stack.redisUrl, { name: "key-command" });
  redis.on("error", () => {});
  const database = createDatabase(stack.databaseUrl, { poolSize: 2, applicationName: "key-command" });
  try {
    const publishing = new Publishing({
      database,
      slots: createMoneyCommands(redis),
      snapshot: new SnapshotPublisher(redis),
      nowMs: Date.now,
    });
    return (await createAccountWithKey({ database, publishing }, options)).key;
  } finally {
    redis.disconnect();
    await database.$disconnect();
  }
}

/** Needs Postgres alone: management publishes what it finds unpublished when it starts. */
async function createInStoppedStack(dataDir: string, options: KeyOptions): Promise<string> {
  const external = process.env.DATABASE_URL;
  const postgres = external
    ? undefined
    : await startPostgres({ dir: join(dataDir, "postgres"), onProgress: say });
  const url = external ?? postgres?.url ?? "";
  try {
    await migrate(url);
    const database = createDatabase(url, { poolSize: 2, applicationName: "key-command" });
    try {
      return (await createAccountWithKey({ database }, options)).key;
    } finally {
      await database.$disconnect();
    }
  } finally {
    await postgres?.stop();
  }
}
