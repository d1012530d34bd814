import { parseArgs } from "node:util";
import { auditBooks, auditJson, auditText } from "@diegetic/billing";
import { SetupError } from "@diegetic/local-stores";
import { readStackFile } from "./data-directory/stack-file.ts";
import { expectReachable } from "./external-stores.ts";
import { readDataDir } from "./settings.ts";

const USAGE = "Usage: npm run --silent audit -- [--json] [--wait SECONDS]";
const LONGEST_WAIT_SECONDS = 3_600;
const EXIT_CODES = { agrees: 0, differs: 1, incomplete: 2, nothing: 2 };
const POSTGRES_PORT = 5_432;
const REDIS_PORT = 6_379;

/**
 * `npm run audit`: compares all books of the running stack of DATA_DIR, or of DATABASE_URL and REDIS_URL. Answers the
 * exit code: 0 all agrees, 1 something differs, 2 not everything, or nothing at all, could be compared.
 */
export async function runAuditCommand(args: string[]): Promise<number> {
  const options = readAuditOptions(args);
  if (options === "help") {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const { json, waitSeconds } = options;
  const stores = storesOf(process.env);
  await expectReachable("DATABASE_URL", stores.databaseUrl, POSTGRES_PORT);
  await expectReachable("REDIS_URL", stores.redisUrl, REDIS_PORT);
  const report = await auditBooks({ ...stores, quietWithinMs: waitSeconds * 1_000 });
  process.stdout.write(json ? auditJson(report) : auditText(report));
  return EXIT_CODES[report.verdict];
}

/** Exported for its tests. Throws a sentence that says what is allowed. */
export function readAuditOptions(args: string[]): { json: boolean; waitSeconds: number } | "help" {
  const values = parseAuditArguments(args);
  if (values.help) return "help";
  const waitSeconds = Number(values.wait);
  if (!/^\d+$/.test(values.wait) || waitSeconds > LONGEST_WAIT_SECONDS) {
    throw new SetupError(
      `--wait is "${values.wait}": it must be a whole number of seconds from 0 to ${LONGEST_WAIT_SECONDS}.`,
    );
  }
  return { json: values.json, waitSeconds };
}

function parseAuditArguments(args: string[]) {
  const options = {
    help: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    wait: { type: "string", default: "10" },
  } as const;
  try {
    return parseArgs({ args, options, allowPositionals: false }).values;
  } catch {
    throw new SetupError(`These arguments are not understood.\n${USAGE}`);
  }
}

/** Where the stores are; one that is not named is that of the running stack. */
function storesOf(environment: NodeJS.ProcessEnv): { databaseUrl: string; redisUrl: string } {
  const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = environment;
  if (databaseUrl && redisUrl) return { databaseUrl, redisUrl };
  const dataDir = readDataDir(environment);
  const stack = readStackFile(dataDir);
  if (stack === undefined) {
    throw new SetupError(
      `No stack runs in ${dataDir}: start it by npm start, select another directory by DATA_DIR, or name the stores by DATABASE_URL and REDIS_URL.`,
    );
  }
  return { databaseUrl: databaseUrl || stack.databaseUrl, redisUrl: redisUrl || stack.redisUrl };
}
