import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findProgram } from "./debian-package.ts";
import { SetupError } from "./process.ts";

const run = promisify(execFile);
const MIN_MAJOR_VERSION = 7;
const WHAT_TO_INSTALL =
  "Install Redis 7.0 or newer (Debian, Ubuntu: apt-get install redis-server; macOS: brew install redis) or set REDIS_URL to a running one.";

let found: Promise<string> | undefined;

/**
 * Finds redis-server or valkey-server 7.0 or newer on the PATH, or installs it with apt-get where that needs no password.
 * Throws SetupError with one sentence that says what to install.
 */
export function findRedisServer(onProgress?: (line: string) => void): Promise<string> {
  found ??= findOrInstall(onProgress).catch((error: unknown) => {
    found = undefined;
    throw error;
  });
  return found;
}

async function findOrInstall(onProgress: ((line: string) => void) | undefined): Promise<string> {
  const path = await findProgram(
    {
      names: ["redis-server", "valkey-server"],
      packageName: "redis-server",
      whatToInstall: WHAT_TO_INSTALL,
    },
    onProgress,
  );
  const { stdout } = await run(path, ["--version"]);
  const version = /v=(\d+)\.(\d+\.\d+)/.exec(stdout);
  if (version === null || Number(version[1]) < MIN_MAJOR_VERSION) {
    throw new SetupError(`${path} is older than Redis ${MIN_MAJOR_VERSION}.0. ${WHAT_TO_INSTALL}`);
  }
  return path;
}
