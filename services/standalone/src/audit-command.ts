import { auditJson, auditText, reconcileAll } from "@diegetic/billing";
import { flagOption, integerSetting, readOptions } from "@diegetic/service-kit";
import { findStores, throwUnavailable } from "./stores.ts";

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
