import { execFile, execFileSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { SetupError } from "./process.ts";

const run = promisify(execFile);
const INSTALL_TIMEOUT_MS = 600_000;

/** Keeps a package from starting a server of its own, as usual in image builds. */
const INSTALL_SCRIPT = `set -e
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\\nexit 101\\n' > "$policy"
  chmod 755 "$policy"
fi
export DEBIAN_FRONTEND=noninteractive
# Several processes may want a package at the same time.
exec 9>/var/lock/diegetic-apt-get
flock 9
apt-get update -qq
apt-get install -y -qq --no-install-recommends "$@"`;

export interface WantedProgram {
  /** Program names on the PATH, preferred one first. */
  names: readonly [string, ...string[]];
  /** The Debian and Ubuntu package that contains the first program. */
  packageName: string;
  /** Further packages that it needs. */
  morePackages?: readonly string[];
  /** Instruction for machines where nothing can be installed; one sentence. */
  whatToInstall: string;
}

/** Finds a program on the PATH, or installs it with apt-get where that needs no password. Throws SetupError. */
export async function findProgram(
  wanted: WantedProgram,
  onProgress: (line: string) => void = () => {},
): Promise<string> {
  return wanted.names.map(onPath).find((path) => path !== undefined) ?? (await install(wanted, onProgress));
}

async function install(
  { names, packageName, morePackages = [], whatToInstall }: WantedProgram,
  onProgress: (line: string) => void,
): Promise<string> {
  const prefix = installPrefix();
  if (prefix === undefined) {
    throw new SetupError(`No ${names.join(" or ")} was found on the PATH. ${whatToInstall}`);
  }
  onProgress(`Installing ${packageName} with apt-get (once) …`);
  try {
    const script = ["sh", "-c", INSTALL_SCRIPT, "install", packageName, ...morePackages];
    const [command = "sh", ...args] = [...prefix, ...script];
    await run(command, args, { timeout: INSTALL_TIMEOUT_MS });
  } catch (error) {
    const output = String((error as { stderr?: unknown }).stderr ?? error).trim();
    throw new SetupError(
      `apt-get could not install ${packageName} (${output.split("\n").at(-1)}). ${whatToInstall}`,
    );
  }
  const path = onPath(names[0]);
  if (path === undefined) throw new SetupError(`apt-get installed no ${names[0]}. ${whatToInstall}`);
  return path;
}

/** The command prefix that allows apt-get; undefined when this machine or this user cannot run it. */
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
  const named = (process.env.PATH ?? "").split(delimiter);
  return [...named, "/usr/local/bin", "/usr/bin", "/usr/sbin"]
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
