/**
 * Bundles what runs as a process of its own, with all packages that it imports, if a source has changed since the last
 * time. A service spends most of its start on loading, and loads one file in half the time of a thousand.
 */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { buildIfChanged } from "./lib/changes.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Entry files by service, below `src`, by their names in `bundle`. */
const ENTRIES = {
  management: { main: "main.ts" },
  match: { main: "main.ts" },
  billing: { main: "main.ts" },
  standalone: { run: "run.ts", front: "front/main.ts", commands: "index.ts" },
};
/** Of each package. The compiler records the hash of each source in the second. */
const INPUTS = ["package.json", "dist/.tsbuildinfo"];

const inputs = ["packages", "services"]
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(root, folder, name)))
  .flatMap((directory) => INPUTS.map((file) => join(directory, file)))
  .filter((path) => existsSync(path));
const outputs = Object.entries(ENTRIES).flatMap(([service, entries]) =>
  Object.keys(entries).map((name) => join(root, "services", service, "bundle", `${name}.js`)),
);

await buildIfChanged(
  {
    inputs: [
      ...["pnpm-lock.yaml", "tsconfig.base.json", "scripts/bundle.mjs"].map((file) => join(root, file)),
      ...inputs,
    ],
    outputs,
    stampFile: join(root, "node_modules/.bundled"),
  },
  async () => {
    const { rolldown } = await import("rolldown");
    await Promise.all(
      Object.entries(ENTRIES).map(([service, entries]) => bundle(rolldown, service, entries)),
    );
  },
);

async function bundle(rolldown, service, entries) {
  const directory = join(root, "services", service, "bundle");
  const build = await rolldown({
    input: Object.fromEntries(
      Object.entries(entries).map(([name, file]) => [name, join(root, "services", service, "src", file)]),
    ),
    platform: "node",
    // An optional package that is not installed.
    external: ["pg-native"],
    logLevel: "warn",
    resolve: { conditionNames: ["@diegetic/source", "node"] },
    plugins: [keepOwnAddresses(directory), omitMapsOfOthers()],
  });
  const { output } = await build.write({
    dir: directory,
    format: "esm",
    sourcemap: true,
    sourcemapExcludeSources: true,
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
  });
  await build.close();
  // Files are replaced one by one, because a running service may start again meanwhile.
  const written = new Set(output.map(({ fileName }) => fileName));
  for (const name of readdirSync(directory))
    if (!written.has(name)) rmSync(join(directory, name), { force: true });
}

/** Our modules find files beside them by `import.meta.url`, which is the bundle's there. */
function keepOwnAddresses(directory) {
  return {
    name: "own-addresses",
    transform: {
      filter: { id: /[\\/](?:packages|services)[\\/][^\\/]+[\\/]src[\\/]/, code: "import.meta.url" },
      handler(code, id) {
        const path = relative(directory, id).replaceAll("\\", "/");
        const address = `new URL(${JSON.stringify(path)}, import.meta.url).href`;
        // Without a map, lines keep their numbers.
        return { code: code.replaceAll("import.meta.url", address), map: null };
      },
    },
  };
}

/** Node parses the whole map at the start of each process, for the logger: so it covers our sources, and without their text. */
function omitMapsOfOthers() {
  return {
    name: "omit-maps-of-others",
    transform: {
      filter: { id: /[\\/](?:node_modules|generated)[\\/]/ },
      handler: (code) => ({ code, map: { mappings: "" } }),
    },
  };
}
