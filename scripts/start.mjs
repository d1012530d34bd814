/** `npm start [-- --match-instances N]`: the whole product on this machine, until Ctrl-C. */
import { runMain, setUp } from "./lib/setup.mjs";

await runMain(async () => {
  await setUp();
  const { runStack } = await import("../services/standalone/dist/index.js");
  await runStack(process.argv.slice(2));
});
