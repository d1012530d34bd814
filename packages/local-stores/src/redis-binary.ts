import { execFile, execFileSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { SetupError } from "./process.ts";

const run = promisify(execFile);
const SERVER_NAMES = ["redis-server", "valkey-server"];
const OLDEST_MAJOR_VERSION = 7;
const INSTALL_TIMEOUT_MS = 300_000;
const WHAT_TO_INSTALL =
  "Install Redis 7.0 or newer (Debian, Ubuntu: apt-get install redis-server; macOS: brew install redis) or set REDIS_URL to a running one.";

/** Keeps the package from starting a server of its own on port 6379, as is usual when images are built. */
const INSTALL_SCRIPT = `set -e
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\\nexit 101\\n' > "$policy"
  chmod 755 "$policy"
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends redis-server`;

let found: Promise<string> | undefined;

/**
 * The path of redis-server or valkey-server, 7.0 or newer: from the PATH, else installed by apt-get where that is
 * allowed without a password. Fails with one sentence that says what to install.
 */
export function findRedisServer(onProgress: (line: string) => void = () => {}): Promise<string> {
  found ??= findOrInstall(onProgress).catch((error: unknown) => {
    found = undefined;
    throw error;
  });
  return found;
}

async function findOrInstall(onProgress: (line: string) => void): Promise<string> {
  const present = SERVER_NAMES.map(onPath).find((path) => path !== undefined);
  const path = present ?? (await install(onProgress));
  const { stdout } = await run(path, ["--version"]);
  const version = /v=(\d+)\.(\d+\.\d+)/.exec(stdout);
  if (version === null || Number(version[1]) < OLDEST_MAJOR_VERSION) {
    throw new SetupError(`${path} is older than Redis ${OLDEST_MAJOR_VERSION}.0. ${WHAT_TO_INSTALL}`);
  }
  return path;
}

async function install(onProgress: (line: string) => void): Promise<string> {
  const prefix = installPrefix();
  if (prefix === undefined) {
    throw new SetupError(`No redis-server or valkey-server was found on the PATH. ${WHAT_TO_INSTALL}`);
  }
  onProgress("Installing redis-server with apt-get (once) …");
  try {
    const [command = "sh", ...args] = [...prefix, "sh", "-c", INSTALL_SCRIPT];
    await run(command, args, { timeout: INSTALL_TIMEOUT_MS });
  } catch (error) {
    const lines = String((error as { stderr?: unknown }).stderr ?? error)
      .trim()
      .split("\n");
    throw new SetupError(
      `apt-get could not install redis-server (${lines.at(-1) ?? ""}). ${WHAT_TO_INSTALL}`,
    );
  }
  const path = onPath("redis-server");
  if (path === undefined) throw new SetupError(`apt-get installed no redis-server. ${WHAT_TO_INSTALL}`);
  return path;
}

/** How to become someone who may call apt-get; undefined when this machine or this user cannot. */
function installPrefix(): string[] | undefined {
  if (onPath("apt-get") === undefined) return undefined;
  if (process.getuid?.() === 0) return [];
  try {
    execFileSync("sudo", ["-n", "true"], { stdio: "ignore" });
    return ["sudo", "-n"];
  } catch {
    return undefined;
  }
}

function onPath(name: string): string | undefined {
  const directories = [...(process.env.PATH ?? "").split(delimiter), "/usr/local/bin", "/usr/bin"];
  return directories
    .filter((directory) => directory !== "")
    .map((directory) => join(directory, name))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
