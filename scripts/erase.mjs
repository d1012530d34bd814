/** `npm run --silent erase -- --player ID --account ID`: removes a player's traces; totals and the ledger stay. */
import { runMain, setUp } from "./lib/setup.mjs";

await runMain(async () => {
  // With external stores, runs the existing build.
  if (!process.env.DATABASE_URL && !process.env.REDIS_URL) await setUp();
  const { runEraseCommand } = await import("../services/standalone/dist/index.js");
  process.exitCode = await runEraseCommand(process.argv.slice(2));
});
