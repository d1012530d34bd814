import { execFile, execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../deploy/compose-file.ts";

const MIGRATIONS = "prisma/migrations";
const PREPARE = 'import { setUp } from "./scripts/lib/setup.mjs"; await setUp();';
const run = promisify(execFile);

/**
 * The newest commit before the last migration was added, whose own migrations are unchanged; or why this copy of the
 * repository does not have one.
 */
export function findEarlierVersion(): { commit: string } | { missing: string } {
  try {
    if (git("rev-parse", "--show-prefix") !== "") return { missing: "this copy has no history" };
    const additions = git("log", "--first-parent", "--format=%H %P", "--", MIGRATIONS).split("\n");
    for (const [, parent = ""] of additions.map((line) => line.split(" "))) {
      // The history of a shallow clone ends before.
      if (parent === "") break;
      const changes = git("diff", "--no-renames", "--name-status", parent, "--", MIGRATIONS).split("\n");
      if (changes.every((line) => line.startsWith("A"))) return { commit: parent };
    }
    return { missing: "the history of this copy begins after the last migration" };
  } catch (error) {
    const { code, stderr } = error as { code?: string; stderr?: string };
    return { missing: code === "ENOENT" ? "git is not installed" : (stderr?.trim() ?? String(error)) };
  }
}

/** Builds the commit in the empty directory as `npm start` builds a fresh clone. Answers its root. */
export async function buildVersion(commit: string, dir: string): Promise<string> {
  const archive = join(dir, "source.tar");
  const root = join(dir, "source/");
  await run("git", ["archive", "--prefix=source/", `--output=${archive}`, commit], { cwd: ROOT });
  await run("tar", ["-xf", archive, "-C", dir]);
  rmSync(archive);
  const { NODE_OPTIONS: _options, ...env } = process.env;
  await run(process.execPath, ["--input-type=module", "--eval", PREPARE], { cwd: root, env });
  return root;
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}
