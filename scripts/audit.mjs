/** `npm run --silent audit [-- --json --wait SECONDS]`: runs a full reconciliation; the exit code says whether all stores agree. */
import { runMain, setUp } from "./lib/setup.mjs";

const COULD_NOT_AUDIT = 2;

await runMain(audit, { failureCode: COULD_NOT_AUDIT });

async function audit() {
  // With external stores, runs the existing build.
  if (!process.env.DATABASE_URL && !process.env.REDIS_URL) await setUp();
  const { runAuditCommand } = await import("../services/standalone/dist/index.js");
  process.exitCode = await runAuditCommand(process.argv.slice(2));
}
