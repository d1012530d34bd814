/**
 * `node docker/assemble.mjs DIRECTORY`: everything that the image holds, and nothing else, from a built checkout. The
 * Dockerfile and its test both call this, so that what is tested is what is shipped.
 */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const [directory] = parseArgs({ allowPositionals: true }).positionals;
if (directory === undefined) {
  process.stderr.write("Usage: node docker/assemble.mjs DIRECTORY\n");
  process.exit(2);
}
const target = resolve(directory);

/** What the commands of the image need, with the workspace packages that these import. */
const ENTRY_PACKAGES = [
  "@diegetic/management",
  "@diegetic/match",
  "@diegetic/billing",
  "@diegetic/standalone",
];
const FILES = [
  "package.json",
  "pnpm-lock.yaml",
  "pnpm-workspace.yaml",
  "patches",
  "prisma/migrations",
  "prisma/schema.prisma",
  "scripts/audit.mjs",
  "scripts/erase.mjs",
  "scripts/migrate.mjs",
  "scripts/password.mjs",
  "scripts/slices.mjs",
  "scripts/lib/setup.mjs",
  "docker/health.mjs",
  "docker/key.mjs",
  // Built by Vite: static files without packages.
  "services/dashboard/dist",
];
/** Of each workspace package. Services run as bundles, and only the migration loads modules of packages. */
const PACKAGE_FILES = { packages: ["package.json", "dist", "lua"], services: ["package.json", "bundle"] };
const MAX_OUTPUT_BYTES = 64 * 1_048_576;
const BUILD_ONLY = /\.(?:d\.ts|tsbuildinfo)$/;

mkdirSync(target, { recursive: true });
for (const path of [...FILES, ...packageFiles()]) copy(path);

const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const run = promisify(execFile);
const pnpm = async (cwd, ...args) =>
  (await run("npx", ["--yes", packageManager, ...args], { cwd, maxBuffer: MAX_OUTPUT_BYTES })).stdout;
const filters = ENTRY_PACKAGES.flatMap((name) => ["--filter", `${name}...`]);
// Optional packages are the Postgres of the local stack.
const scope = ["--prod", "--no-optional", ...filters];
// The packages of the dashboard are inside its build.
const sbomOptions = ["--sbom-format", "cyclonedx", "--sbom-type", "application"];
// Installs pnpm before two of them run.
await pnpm(root, "--version");
const [sbom] = await Promise.all([
  pnpm(root, "sbom", ...sbomOptions, ...scope, "--filter", "@diegetic/dashboard"),
  pnpm(target, "install", "--frozen-lockfile", "--prefer-offline", ...scope),
]);
writeFileSync(join(target, "sbom.cdx.json"), sbom);

function packageFiles() {
  const workspace = ["packages", "services"].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => join(folder, name)),
  );
  const packages = new Map(
    workspace.map((path) => {
      const { name, dependencies = {} } = JSON.parse(readFileSync(join(root, path, "package.json"), "utf8"));
      return [name, { path, dependencies: Object.keys(dependencies) }];
    }),
  );
  const wanted = new Set(ENTRY_PACKAGES);
  // A set that grows while it is walked visits what was added.
  for (const name of wanted) {
    for (const dependency of packages.get(name).dependencies) {
      if (packages.has(dependency)) wanted.add(dependency);
    }
  }
  return [...wanted].flatMap((name) => {
    const { path } = packages.get(name);
    const present = readdirSync(join(root, path));
    const [folder] = path.split(sep);
    return PACKAGE_FILES[folder].filter((file) => present.includes(file)).map((file) => join(path, file));
  });
}

function copy(path) {
  mkdirSync(dirname(join(target, path)), { recursive: true });
  cpSync(join(root, path), join(target, path), {
    recursive: true,
    filter: (source) => !BUILD_ONLY.test(source),
  });
}
