import { createDatabase } from "@diegetic/database";
import { SetupError } from "@diegetic/local-stores";
import { resetPassword } from "@diegetic/management";
import { readOptions, textSetting } from "@diegetic/service-kit";
import { expectUsable, findStores, readNamedStores, throwUnavailable } from "./stores.ts";

const USAGE = "Usage: npm run --silent password -- --email ADDRESS";
const MAX_EMAIL_CHARACTERS = 254;
const OPTIONS = { email: textSetting("--email", { maxLength: MAX_EMAIL_CHARACTERS }) };

/**
 * `npm run password`: gives a user who has forgotten it a new password, and ends the user's sessions, in DATABASE_URL or in
 * the running stack of DATA_DIR. Prints the password alone on standard output.
 */
export async function runPasswordCommand(args: string[]): Promise<void> {
  const options = readOptions(args, OPTIONS, USAGE);
  if (options === "help") {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  const { databaseUrl: named } = readNamedStores(process.env);
  if (named !== undefined) await expectUsable({ databaseUrl: named, redisUrl: undefined });
  const databaseUrl = named ?? (await findStores(process.env)).databaseUrl;
  const database = createDatabase(databaseUrl, { applicationName: "password-command", poolSize: 1 });
  try {
    const password = await resetPassword(database, options.email);
    if (password === undefined)
      throw new SetupError(`--email is "${options.email}": nobody signs in with this address.`);
    process.stdout.write(`${password}\n`);
  } catch (error) {
    throwUnavailable(error);
  } finally {
    await database.$disconnect();
  }
}
