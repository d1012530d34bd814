/**
 * `node docker/assemble.mjs DIRECTORY`: everything that the image holds, and nothing else, from a built checkout. The
 * Dockerfile and its test both call this, so that what is tested is what is shipped.
 */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const [directory] = parseArgs({ allowPositionals: true }).positionals;
if (directory === undefined) {
  process.stderr.write("Usage: node docker/assemble.mjs DIRECTORY\n");
  process.exit(2);
}
const target = resolve(directory);

/** What runs in the image, as bundles. */
const SERVICES = ["management", "match", "billing", "standalone"];
/** Packages that bundles read files of, below the package that depends on them. */
const READ_PACKAGES = {
  "swagger-ui-dist": "services/management",
  "@prisma/schema-engine-wasm": "packages/database",
};
const FILES = [
  ...SERVICES.flatMap((name) => [`services/${name}/package.json`, `services/${name}/bundle`]),
  // Built by Vite: static files without packages.
  "services/dashboard/dist",
  "packages/hot-state/lua",
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
];
const MAX_OUTPUT_BYTES = 64 * 1_048_576;

mkdirSync(target, { recursive: true });
for (const path of FILES) copy(join(root, path), join(target, path));
for (const [name, owner] of Object.entries(READ_PACKAGES)) {
  const folder = join("node_modules", name);
  copy(join(root, owner, folder), join(target, folder));
}

const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
// Of all packages inside the bundles and the dashboard. Optional ones are the Postgres of the local stack.
const filters = [...SERVICES, "dashboard"].flatMap((name) => ["--filter", `@diegetic/${name}...`]);
const format = ["--sbom-format", "cyclonedx", "--sbom-type", "application"];
const sbom = await promisify(execFile)(
  "npx",
  ["--yes", packageManager, "sbom", ...format, "--prod", "--no-optional", ...filters],
  { cwd: root, maxBuffer: MAX_OUTPUT_BYTES },
);
writeFileSync(join(target, "sbom.cdx.json"), sbom.stdout);
writeFileSync(join(target, "third-party-licenses.txt"), licencesOf(JSON.parse(sbom.stdout).components));

/** The texts of the packages' licences, which are not in the bundles. */
function licencesOf(components) {
  const store = join(root, "node_modules/.pnpm");
  const folders = readdirSync(store);
  const texts = components.flatMap(({ group, name, version }) => {
    const fullName = group === undefined ? name : `${group}/${name}`;
    const key = `${fullName.replace("/", "+")}@${version}`;
    const folder = folders.find((one) => one === key || one.startsWith(`${key}_`));
    // Packages of the workspace are no third party's.
    if (folder === undefined) return [];
    const directory = join(store, folder, "node_modules", fullName);
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isFile() && /^(?:licen[cs]e|notice)/i.test(entry.name))
      .map((entry) => `${fullName} ${version}\n\n${readFileSync(join(directory, entry.name), "utf8")}`);
  });
  return texts.join("\n----\n\n");
}

function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, {
    recursive: true,
    dereference: true,
    // Maps of packages are left out; those of bundles give stack traces our lines.
    filter: (source) => !(source.includes("/node_modules/") && source.endsWith(".map")),
  });
}
