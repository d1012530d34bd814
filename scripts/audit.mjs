/** `npm run --silent audit [-- --json --wait SECONDS]`: runs a full reconciliation; the exit code says whether all stores agree. */
import { runCommand } from "./lib/setup.mjs";

const COULD_NOT_AUDIT = 2;

await runCommand("runAuditCommand", { failureCode: COULD_NOT_AUDIT });
