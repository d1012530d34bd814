/** `npm test [-- jest arguments]`: runs everything that CI runs. Needs no preparation and leaves nothing running. */
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { installClientRuntimes } from "./lib/client-runtimes.mjs";
import { root, runMain, say, setUp } from "./lib/setup.mjs";

/** Test files often wait for processes of their own, so two cores have time for a third file. */
const WORKERS = Math.max(3, availableParallelism());

await runMain(async () => {
  await setUp();
  // Installs once in advance; otherwise several test files would install concurrently.
  const { findChromium, findRedisServer } = await import("../packages/local-stores/dist/index.js");
  await findRedisServer(say);
  await findChromium(say);
  installClientRuntimes();
  const checked = await npmRun("check");
  // A queue worker that was closed while Redis was unavailable keeps renewing locks, and jest would wait for that.
  const tested = await npmRun("jest", ["--forceExit", `--maxWorkers=${WORKERS}`, ...process.argv.slice(2)]);
  if (!checked) say("The static checks failed: see above, or run npm run check.");
  if (!checked || !tested) process.exitCode = 1;
});

/** Runs a script of package.json with its output on the terminal; returns whether it succeeded. */
function npmRun(script, args = []) {
  return new Promise((resolve, reject) => {
    const child = spawn("npm", ["run", "--silent", script, "--", ...args], { cwd: root, stdio: "inherit" });
    child.once("error", reject);
    child.once("close", (code) => resolve(code === 0));
  });
}
