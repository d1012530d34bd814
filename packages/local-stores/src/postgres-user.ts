import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { SetupError } from "./process.ts";

const NAME = "postgres";

/** The user that runs Postgres when this process is root, because Postgres refuses to run as root. */
export interface PostgresUser {
  uid: number;
  gid: number;
  /** A parent of the data directory is closed to this user, such as /root. */
  needsPassage: boolean;
}

/** Undefined when this process is not root; otherwise the user `postgres`, which is created if missing. */
export function findPostgresUser(dataDir: string): PostgresUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const ids = findIds() ?? createUser();
  return { ...ids, needsPassage: !isOpenToAll(dataDir) };
}

/**
 * The command line that runs a program as the given user. When a parent directory is closed to that user, the program gets
 * the one capability that lets it pass.
 */
export function commandAs(user: PostgresUser | undefined, program: string, args: string[]): string[] {
  if (user === undefined) return [program, ...args];
  const capabilities = user.needsPassage ? ["--inh-caps=+dac_override", "--ambient-caps=+dac_override"] : [];
  const identity = [`--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups"];
  return ["setpriv", ...identity, ...capabilities, "--", program, ...args];
}

/** Whether any user may pass through this directory and all its parents. */
export function isOpenToAll(directory: string): boolean {
  const passable = (statSync(directory).mode & 0o001) !== 0;
  const parent = dirname(directory);
  return passable && (parent === directory || isOpenToAll(parent));
}

function createUser(): { uid: number; gid: number } {
  try {
    execFileSync("useradd", ["--system", "--user-group", "--no-create-home", NAME], { stdio: "ignore" });
  } catch {
    // The error below says what is missing, whatever the reason.
  }
  const ids = findIds();
  if (ids === undefined) {
    throw new SetupError(
      "Postgres does not run as root and the user postgres could not be created: run this as another user, or set DATABASE_URL.",
    );
  }
  return ids;
}

function findIds(): { uid: number; gid: number } | undefined {
  try {
    const id = (flag: string) =>
      Number(execFileSync("id", [flag, NAME], { encoding: "utf8", stdio: "pipe" }));
    return { uid: id("-u"), gid: id("-g") };
  } catch {
    return undefined;
  }
}
