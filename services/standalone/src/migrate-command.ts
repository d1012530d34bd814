import { migrate } from "@diegetic/database";
import { databaseUrlSetting, readOptions, readSettings } from "@diegetic/service-kit";

const USAGE = "Usage: DATABASE_URL=postgres://… npm run migrate";

/** `npm run migrate`: migrates the database of DATABASE_URL to the newest schema; does nothing when it is current. */
export async function runMigrateCommand(args: string[]): Promise<void> {
  if (readOptions(args, {}, USAGE) === "help") {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  const say = (sentence: string) => process.stderr.write(`${sentence}\n`);
  const { secrets } = readSettings(process.env, { settings: {}, secrets: { url: databaseUrlSetting } });
  const applied = await migrate(secrets.url, { log: say });
  say(applied.length === 0 ? "The database is up to date." : "The database is ready.");
}
