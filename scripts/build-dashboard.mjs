/** Builds the dashboard if its sources or the schemas that it uses have changed since the last build. */
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildIfChanged } from "./lib/changes.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const dashboard = join(root, "services/dashboard");
const inputs = [
  join(root, "pnpm-lock.yaml"),
  join(root, "packages/ad-rules/dist"),
  join(root, "packages/contracts/dist"),
  ...["index.html", "package.json", "vite.config.ts", "public", "src"].map((name) => join(dashboard, name)),
];

await buildIfChanged(
  {
    inputs,
    outputs: [join(dashboard, "dist/index.html")],
    stampFile: join(dashboard, "node_modules/.built"),
  },
  () => {
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
    if (run.status === 0) return;
    process.stderr.write(`Building the dashboard failed.\n${run.stdout}${run.stderr}`);
    process.exit(1);
  },
);
