import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Calls `build` unless all `outputs` were built from the same `inputs`: files, and folders with all files below. `stampFile`
 * keeps the hash of the last ones.
 */
export async function buildIfChanged({ inputs, outputs, stampFile }, build) {
  const state = hashOf(inputs);
  const isBuilt = [...outputs, stampFile].every((path) => existsSync(path));
  if (isBuilt && readFileSync(stampFile, "utf8") === state) return;
  // A build that is interrupted leaves neither the old output nor the new.
  rmSync(stampFile, { force: true });
  await build();
  writeFileSync(stampFile, state);
}

function hashOf(paths) {
  const hash = createHash("sha256");
  for (const path of paths.flatMap(filesBelow)) hash.update(path).update("\0").update(readFileSync(path));
  return hash.digest("hex");
}

function filesBelow(path) {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
