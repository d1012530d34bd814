/** `npm test [-- jest arguments]`: everything that CI runs. Needs nothing before and leaves nothing running. */
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { installClientRuntimes } from "./lib/client-runtimes.mjs";
import { root, runMain, say, setUp } from "./lib/setup.mjs";

/** Test files mostly wait for processes of their own, so the cores are busy with as many files as there are cores. */
const WORKERS = availableParallelism();

await runMain(async () => {
  await setUp();
  // Once and before anything else, because several test files would otherwise install it at the same time.
  const { findChromium, findRedisServer } = await import("../packages/local-stores/dist/index.js");
  await findRedisServer(say);
  await findChromium(say);
  installClientRuntimes();
  const checked = await npmRun("check");
  // A worker of the queue that was closed while its Redis was unavailable goes on renewing locks, and jest would wait for that.
  const tested = await npmRun("jest", ["--forceExit", `--maxWorkers=${WORKERS}`, ...process.argv.slice(2)]);
  if (!checked) say("The static checks failed: see above, or run npm run check.");
  if (!checked || !tested) process.exitCode = 1;
});

/** True when the script of package.json succeeded. Its output goes straight to the terminal. */
function npmRun(script, args = []) {
  return new Promise((resolve, reject) => {
    const child = spawn("npm", ["run", "--silent", script, "--", ...args], { cwd: root, stdio: "inherit" });
    child.once("error", reject);
    child.once("close", (code) => resolve(code === 0));
  });
}
