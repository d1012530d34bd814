/** `npm start [-- --match-instances N]`: runs all services on this machine until Ctrl-C. */
import { runMain, setUp } from "./lib/setup.mjs";

// A closed terminal or pipe must not prevent an orderly stop of the stack.
for (const output of [process.stdout, process.stderr]) output.on("error", () => {});

await runMain(async () => {
  await setUp();
  const { runStack } = await import("../services/standalone/bundle/run.js");
  await runStack(process.argv.slice(2));
});
