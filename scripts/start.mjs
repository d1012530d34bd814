/** `npm start [-- --match-instances N]`: the whole product on this machine, until Ctrl-C. */
import { runMain, setUp } from "./lib/setup.mjs";

// A closed terminal or pipe must not keep the stack from being stopped in order.
for (const output of [process.stdout, process.stderr]) output.on("error", () => {});

await runMain(async () => {
  await setUp();
  const { runStack } = await import("../services/standalone/dist/index.js");
  await runStack(process.argv.slice(2));
});
