import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const MAJOR = "24";
const NPM_EXEC = ["exec", "--yes", "--package", `node@${MAJOR}`, "--"];
const CACHE = fileURLToPath(new URL("../../node_modules/.cache/", import.meta.url));
/** The path that npm named, because it takes npm two seconds to name it again. */
const PATH_FILE = `${CACHE}node-${MAJOR}`;

/** The path of Node 24, the image's version: this program, or that of the npm package `node`. */
export function findNode24() {
  if (process.versions.node.startsWith(`${MAJOR}.`)) return process.execPath;
  const known = existsSync(PATH_FILE) ? readFileSync(PATH_FILE, "utf8") : "";
  if (existsSync(known)) return known;
  const arguments_ = [...NPM_EXEC, "node", "--print", "process.execPath"];
  const path = execFileSync("npm", arguments_, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  }).trim();
  try {
    mkdirSync(CACHE, { recursive: true });
    writeFileSync(PATH_FILE, path);
  } catch {
    // npm is asked again.
  }
  return path;
}
