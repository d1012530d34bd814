import { writeRecords } from "@diegetic/billing";
import { createDatabase, type Database, migrate } from "@diegetic/database";
import { connectRedis } from "@diegetic/hot-state";
import {
  createDemo,
  createDemoLogin,
  demoGameKey,
  demoHistory,
  endDemoAccess,
  preparePlay,
  recordDemoCalls,
} from "@diegetic/management";
import { createLogger } from "@diegetic/service-kit";
import type { ReadyDemo } from "./ready-text.ts";
import { throwUnavailable } from "./stores.ts";

export interface StoreAddresses {
  databaseUrl: string;
  redisUrl: string;
}

export interface PreparedStores {
  /** Whether somebody has signed up as the operator. */
  hasOperator: boolean;
  /** Undefined: the stack runs without the demo. */
  demo: ReadyDemo | undefined;
}

export interface PrepareOptions {
  /** Whether the stack runs with the demo; otherwise access to an earlier one ends. */
  withDemo: boolean;
  /** From which the demo's keys and password are derived. */
  demoSecret: string;
  /** One line for the terminal. */
  say(line: string): void;
}

/**
 * Migrates the database, and creates what must exist before management starts. Throws SetupError when the history of the
 * demo cannot be written, for example into the Redis of another installation.
 */
export async function prepareStores(
  stores: StoreAddresses,
  { withDemo, demoSecret, say }: PrepareOptions,
): Promise<PreparedStores> {
  await migrate(stores.databaseUrl);
  const database = createDatabase(stores.databaseUrl, { poolSize: 2, applicationName: "standalone" });
  try {
    const hasOperator = (await database.installation.findFirst())?.operatorUserId != null;
    if (withDemo) return { hasOperator, demo: await prepareDemo(database, stores, { demoSecret, say }) };
    await endDemoAccess(database, demoSecret);
    return { hasOperator, demo: undefined };
  } finally {
    await database.$disconnect();
  }
}

async function prepareDemo(
  database: Database,
  stores: StoreAddresses,
  { demoSecret, say }: Pick<PrepareOptions, "demoSecret" | "say">,
): Promise<ReadyDemo> {
  const nowMs = Date.now();
  const demo = await createDemo(database, demoSecret, nowMs);
  await preparePlay(database, { accountId: demo.accountId, secret: demoSecret, nowMs });
  await writeDemoHistory(database, stores, { accountId: demo.accountId, say });
  const login = await createDemoLogin(database, demo.accountId, demoSecret);
  return { ...demo, login, playKey: demoGameKey(demoSecret) };
}

/** Creates past activity of the demo account, through the same code as billing. */
async function writeDemoHistory(
  database: Database,
  { databaseUrl, redisUrl }: StoreAddresses,
  { accountId, say }: { accountId: string; say: PrepareOptions["say"] },
): Promise<void> {
  const history = await demoHistory(database, accountId);
  if (history === undefined) return;
  say("Writing the history of the demo account …");
  const redis = connectRedis(redisUrl, { name: "standalone" });
  const logger = createLogger({ service: "billing", instance: "demo", level: "silent" });
  const stores = { databaseUrl, redisUrl, logger };
  try {
    // The presence of the last record implies that all earlier ones exist.
    await writeRecords(stores, history.records.slice(0, -1));
    await recordDemoCalls(redis, history);
    await writeRecords(stores, history.records.slice(-1));
  } catch (error) {
    throwUnavailable(error);
  } finally {
    redis.disconnect();
  }
}
