/** `npm run --silent audit [-- --json --wait SECONDS]`: compares all books; the exit code says whether they agree. */
import { runMain, setUp } from "./lib/setup.mjs";

const COULD_NOT_AUDIT = 2;

await runMain(audit, { failureCode: COULD_NOT_AUDIT });

async function audit() {
  // Where stores are named, what was built is run as it is, as in the image: nothing can be installed there.
  if (!process.env.DATABASE_URL && !process.env.REDIS_URL) await setUp();
  const { runAuditCommand } = await import("../services/standalone/dist/index.js");
  process.exitCode = await runAuditCommand(process.argv.slice(2));
}
