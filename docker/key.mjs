/** `docker compose exec management node docker/key.mjs --label NAME`: a new account's key on standard output. */
import { runMain } from "../scripts/lib/setup.mjs";
import { runKeyCommand } from "../services/standalone/bundle/commands.js";

await runMain(() => runKeyCommand(process.argv.slice(2)));
