/** `npm run --silent slices -- --advertiser ID --slices N`: divides the wallet of a hot advertiser. */
import { runMain, setUp } from "./lib/setup.mjs";

await runMain(async () => {
  // With external stores, runs the existing build.
  if (!process.env.DATABASE_URL && !process.env.REDIS_URL) await setUp();
  const { runSlicesCommand } = await import("../services/standalone/dist/index.js");
  process.exitCode = await runSlicesCommand(process.argv.slice(2));
});
