/** `npm run migrate`: migrates the database of DATABASE_URL to the newest schema; does nothing when it is current. */
import { runCommand } from "./lib/setup.mjs";

await runCommand("runMigrateCommand");
