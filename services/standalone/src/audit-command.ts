import { auditJson, auditText, reconcileAll } from "@diegetic/billing";
import { SetupError } from "@diegetic/local-stores";
import { flagOption, integerSetting, readOptions } from "@diegetic/service-kit";
import { readStackFile } from "./data-directory/stack-file.ts";
import {
  expectStackStore,
  expectUsable,
  POSTGRES_PORT,
  REDIS_PORT,
  readNamedStores,
  throwUnavailable,
} from "./external-stores.ts";
import { readDataDir } from "./settings.ts";

const USAGE = "Usage: npm run --silent audit -- [--json] [--wait SECONDS]";
const MAX_WAIT_SECONDS = 3_600;
const EXIT_CODES = { agrees: 0, differs: 1, incomplete: 2, nothing: 2 };

/**
 * `npm run audit`: runs a full reconciliation of the running stack of DATA_DIR, or of both DATABASE_URL and REDIS_URL. Returns
 * the exit code: 0 everything agrees, 1 something differs, 2 the comparison is incomplete or empty. Throws when it cannot
 * start, for which the exit code is also 2.
 */
export async function runAuditCommand(args: string[]): Promise<number> {
  const options = readAuditOptions(args);
  if (options === "help") {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const { json, waitSeconds } = options;
  const stores = await findStores(process.env);
  const report = await reconcileAll({ ...stores, quietWithinMs: waitSeconds * 1_000 }).catch(
    throwUnavailable,
  );
  process.stdout.write(json ? auditJson(report) : auditText(report));
  return EXIT_CODES[report.verdict];
}

const AUDIT_OPTIONS = {
  json: flagOption("--json"),
  waitSeconds: integerSetting("--wait", { min: 0, max: MAX_WAIT_SECONDS, fallback: 10 }),
};

/** Exported for its tests. Throws UsageError. */
export function readAuditOptions(args: string[]): { json: boolean; waitSeconds: number } | "help" {
  return readOptions(args, AUDIT_OPTIONS, USAGE);
}

/**
 * Finds the stores in the environment or in the running stack, and checks that both answer. Throws SetupError with a
 * sentence that says what to do. Exported for its tests.
 */
export async function findStores(
  environment: NodeJS.ProcessEnv,
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
  await expectStackStore("Postgres", stack.databaseUrl, POSTGRES_PORT, dataDir);
  await expectStackStore("Redis", stack.redisUrl, REDIS_PORT, dataDir);
  return stack;
}
