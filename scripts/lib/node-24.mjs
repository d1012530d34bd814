import { execFileSync } from "node:child_process";

const MAJOR = "24";
const NPM_EXEC = ["exec", "--yes", "--package", `node@${MAJOR}`, "--"];

/** The path of Node 24, the image's version: this program, or that of the npm package `node`. */
export function findNode24() {
  if (process.versions.node.startsWith(`${MAJOR}.`)) return process.execPath;
  const arguments_ = [...NPM_EXEC, "node", "--print", "process.execPath"];
  return execFileSync("npm", arguments_, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
}
