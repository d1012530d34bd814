/** `npm run --silent password -- --email ADDRESS`: a new password for a user who has forgotten it, on standard output. */
import { runMain, setUp } from "./lib/setup.mjs";

await runMain(async () => {
  // With external stores, runs the existing build.
  if (!process.env.DATABASE_URL && !process.env.REDIS_URL) await setUp();
  const { runPasswordCommand } = await import("../services/standalone/dist/index.js");
  await runPasswordCommand(process.argv.slice(2));
});
