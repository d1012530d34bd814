/**
 * `node scripts/on-node-24.mjs ARGUMENTS`: runs `node ARGUMENTS` on Node 24, the image's version, so that figures are those
 * of the Node that ships. Where this is another version, takes Node from the npm package `node`.
 */
import { execFileSync, spawn } from "node:child_process";

const MAJOR = "24";
const NPM_EXEC = ["exec", "--yes", "--package", `node@${MAJOR}`, "--"];

/** The path of the program. */
function findNode() {
  if (process.versions.node.startsWith(`${MAJOR}.`)) return process.execPath;
  const arguments_ = [...NPM_EXEC, "node", "--print", "process.execPath"];
  return execFileSync("npm", arguments_, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
}

const child = spawn(findNode(), process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code) => {
  process.exitCode = code ?? 1;
});
