/** Installs the runtimes of the Python and C# clients, and mypy, where that needs no password; the tests report what is missing. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { say } from "./setup.mjs";

const PACKAGES = [
  "python3-httpx",
  "python3-mypy",
  "mono-mcs",
  "mono-runtime",
  "libmono-system-net-http4.0-cil",
];

export async function installClientRuntimes() {
  if (process.getuid?.() !== 0 || spawnSync("apt-get", ["--version"]).error !== undefined) return;
  const missing = PACKAGES.filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  say(`Installing ${missing.join(", ")} with apt-get (once) …`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const succeeds = async (...args) => {
    const child = spawn("apt-get", args, { env, stdio: "ignore" });
    const [status] = await once(child, "close").catch(() => []);
    return status === 0;
  };
  const install = () => succeeds("install", "-y", "-qq", "--no-install-recommends", ...missing);
  if (await install()) return;
  await succeeds("update", "-qq");
  if (!(await install())) say("apt-get could not install them: the tests of those clients are skipped.");
}

function isInstalled(name) {
  const { stdout } = spawnSync("dpkg", ["--status", name], { encoding: "utf8" });
  return stdout?.includes("install ok installed") === true;
}
