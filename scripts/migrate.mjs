/** Migrates the database of DATABASE_URL to the newest schema; does nothing when it is current. */
import { runMain, say } from "./lib/setup.mjs";

await runMain(async () => {
  const { databaseUrlSetting, optionsOfProcess, readSettings } = await import(
    "../packages/service-kit/dist/index.js"
  );
  optionsOfProcess({}, "Usage: DATABASE_URL=postgres://… npm run migrate");
  const { migrate } = await import("../packages/database/dist/index.js");
  const { secrets } = readSettings(process.env, { settings: {}, secrets: { url: databaseUrlSetting } });
  const applied = await migrate(secrets.url, { log: say });
  say(applied.length === 0 ? "The database is up to date." : "The database is ready.");
});
