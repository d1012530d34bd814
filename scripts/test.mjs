/**
 * `npm test [-- jest arguments]`: what a change must pass. Needs no preparation and leaves nothing running. `npm run
 * test:long` (`--long`) runs the long form of each test that has one. Tests run on Node 24, the image's version; what they
 * start by `withOwnNode` (@diegetic/testing/stack) runs on the Node of this process.
 */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism, constants, setPriority } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { installClientRuntimes } from "./lib/client-runtimes.mjs";
import { findNode24 } from "./lib/node-24.mjs";
import { root, runMain, say, setUp } from "./lib/setup.mjs";

/** Test files often wait for processes of their own, so there is time for more files than cores. */
const WORKERS = Math.max(4, Math.floor(availableParallelism() * 1.5));
/** Imports by which a test file knows which form runs. */
const KNOWS_FORM = /@diegetic\/testing\/rounds|\.\/browser\.fixture\.ts/;
const [first, ...others] = process.argv.slice(2);
const isLong = first === "--long";

await runMain(async () => {
  const runtimes = installClientRuntimes();
  await setUp();
  // Finding that nothing has changed takes each stack and command of a test more than a processor second.
  process.env.ALREADY_SET_UP = root;
  // What follows may run apt-get, too, which allows one run at a time.
  await runtimes;
  // Installs once in advance; otherwise several test files would install concurrently.
  const { findChromium, findRedisServer } = await import("../packages/local-stores/dist/index.js");
  await findRedisServer(say);
  await findChromium(say);
  process.env.OWN_NODE_PATH = process.env.PATH;
  process.env.PATH = `${dirname(findNode24())}${delimiter}${process.env.PATH}`;
  if (isLong) {
    process.env.TEST_FORM = "long";
    if (!(await runJest(["--runTestsByPath", ...filesWithLongForm(), ...others]))) process.exitCode = 1;
    return;
  }
  const checking = capture("check");
  const tested = await runJest(process.argv.slice(2));
  const checked = await checking;
  process.stdout.write(checked.output);
  if (!checked.succeeded) say("The static checks failed: see above, or run npm run check.");
  if (!checked.succeeded || !tested) process.exitCode = 1;
});

function filesWithLongForm() {
  return ["packages", "services", "tests"]
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith(".test.ts"))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.includes("node_modules") && KNOWS_FORM.test(readFileSync(file, "utf8")));
}

/** Returns whether all tests passed. */
async function runJest(args) {
  const child = npmRun("jest", [`--maxWorkers=${WORKERS}`, ...args], "inherit");
  return succeeds(child);
}

/** Runs a script of package.json beside the tests, which come first, and keeps its output until they are through. */
async function capture(script) {
  const child = npmRun(script, [], "pipe");
  setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  let output = "";
  const keep = (chunk) => {
    output += chunk;
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const succeeded = await succeeds(child);
  return { succeeded, output };
}

function npmRun(script, args, output) {
  return spawn("npm", ["run", "--silent", script, "--", ...args], {
    cwd: root,
    stdio: ["inherit", output, output],
  });
}

function succeeds(child) {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code === 0));
  });
}
