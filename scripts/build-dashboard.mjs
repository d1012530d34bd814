/** Builds the dashboard if its sources or the schemas that it uses have changed since the last build. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const dashboard = join(root, "services/dashboard");
const stampFile = join(dashboard, "node_modules/.built");

const state = hashOf([
  join(root, "pnpm-lock.yaml"),
  join(root, "packages/contracts/dist"),
  ...["index.html", "package.json", "vite.config.ts", "public", "src"].map((name) => join(dashboard, name)),
]);
const isBuilt = existsSync(join(dashboard, "dist/index.html")) && existsSync(stampFile);
if (!isBuilt || readFileSync(stampFile, "utf8") !== state) {
  const vite = join(
    createRequire(join(dashboard, "package.json")).resolve("vite/package.json"),
    "../bin/vite.js",
  );
  const run = spawnSync(process.execPath, [vite, "build", "--logLevel", "warn"], {
    cwd: dashboard,
    encoding: "utf8",
    // The build that users get, even where NODE_ENV is set, as in tests.
    env: { ...process.env, NODE_ENV: "production" },
  });
  if (run.status !== 0) {
    process.stderr.write(`Building the dashboard failed.\n${run.stdout}${run.stderr}`);
    process.exit(1);
  }
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
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".tsbuildinfo"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
