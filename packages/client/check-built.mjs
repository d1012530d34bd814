// `npm pack` without a build makes a package that installs and cannot be imported.
import { existsSync, readFileSync } from "node:fs";

const here = (path) => new URL(path, import.meta.url);
const { exports } = JSON.parse(readFileSync(here("package.json"), "utf8"));
const missing = Object.values(exports)
  .flatMap((conditions) => Object.values(conditions))
  .filter((path) => !existsSync(here(path)));
if (missing.length > 0) {
  console.error(
    `@diegetic/client is not built: ${missing[0]} is missing. Run \`npm start\` in the folder of Diegetic once, or \`npm run build\` where its packages are installed.`,
  );
  process.exit(1);
}
