/** `npm run --silent key -- --label NAME [--scopes …] [--rate-limit …]`: creates an account and prints its key on standard output. */
import { runMain, setUp } from "./lib/setup.mjs";

await runMain(async () => {
  await setUp();
  const { runKeyCommand } = await import("../services/standalone/bundle/commands.js");
  await runKeyCommand(process.argv.slice(2));
});
