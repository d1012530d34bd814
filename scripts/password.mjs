/** `npm run --silent password -- --email ADDRESS`: a new password for a user who has forgotten it, on standard output. */
import { runCommand } from "./lib/setup.mjs";

await runCommand("runPasswordCommand");
