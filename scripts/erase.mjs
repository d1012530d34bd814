/** `npm run --silent erase -- --player ID --account ID`: removes a player's traces; totals and the ledger stay. */
import { runCommand } from "./lib/setup.mjs";

await runCommand("runEraseCommand");
