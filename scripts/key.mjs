/** `npm run --silent key -- --label NAME [--scopes …] [--rate-limit …]`: a new account's key on standard output. */
import { runMain, setUp } from "./lib/setup.mjs";

await runMain(async () => {
  await setUp();
  const { runKeyCommand } = await import("../services/standalone/dist/index.js");
  await runKeyCommand(process.argv.slice(2));
});
