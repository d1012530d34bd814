/**
 * Prepares a fresh clone until the built packages can be imported. Uses only Node, because dependencies are not installed
 * before it has run.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));

const MIN_NODE = [20, 19];
const STILL_RUNNING_EVERY_MS = 10_000;
const OUTPUT_KEPT_CHARACTERS = 20_000;

/** Names of errors that are printed without a stack trace; the others come from the built packages. */
const SENTENCES = [
  "SetupProblem",
  "SetupError",
  "SettingsError",
  "StartError",
  "UsageError",
  "DatabaseUnavailable",
  "DatabaseUnusable",
  "StatementTimeout",
];
const WRONG_USE_EXIT_CODE = 2;

/** Compiled code of modules, one file for each: saves a fifth of the time in which a service or command loads. Node 22 and later. */
process.env.NODE_COMPILE_CACHE ??= `${root}node_modules/.cache/compiled`;
module.enableCompileCache?.(process.env.NODE_COMPILE_CACHE);

class SetupProblem extends Error {
  name = "SetupProblem";
}

/**
 * Installs if the lock file has changed since the last run; generates and builds what has changed. Does nothing in the
 * image, and in what `npm test` starts on its own checkout (ALREADY_SET_UP).
 */
export async function setUp() {
  checkNodeVersion();
  // The image holds what was built, without sources.
  if (!existsSync(`${root}tsconfig.json`) || process.env.ALREADY_SET_UP === root) return;
  await install();
  await runStep("Generating the database client", ["scripts/generate.mjs"], { quietForMs: 2_000 });
  // Projects are built side by side: further checkers of each would check the same types again.
  const compile = ["node_modules/typescript/bin/tsc", "-b", "--checkers", "1"];
  await runStep("Building", compile, { quietForMs: 2_000 });
  await Promise.all([
    runStep("Building the dashboard", ["scripts/build-dashboard.mjs"], { quietForMs: 2_000 }),
    runStep("Bundling the services", ["scripts/bundle.mjs"], { quietForMs: 2_000 }),
  ]);
}

/** Runs the main function of a script. Prints the message of a failure and exits with the code for failures, or for wrong usage. */
export async function runMain(main, { failureCode = 1 } = {}) {
  try {
    await main();
  } catch (error) {
    say(SENTENCES.includes(error?.name) ? error.message : (error?.stack ?? error));
    process.exitCode = error?.name === "UsageError" ? WRONG_USE_EXIT_CODE : failureCode;
  }
}

/** Runs a command of `standalone` on the arguments of this process. With external stores, runs the existing build. */
export function runCommand(name, options) {
  return runMain(async () => {
    if (!process.env.DATABASE_URL && !process.env.REDIS_URL) await setUp();
    const commands = await import("../../services/standalone/bundle/commands.js");
    process.exitCode = await commands[name](process.argv.slice(2));
  }, options);
}

export function say(line) {
  process.stderr.write(`${line}\n`);
}

function checkNodeVersion() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  const isOld = major < MIN_NODE[0] || (major === MIN_NODE[0] && minor < MIN_NODE[1]);
  if (!isOld) return;
  throw new SetupProblem(
    `Node ${process.versions.node} is too old: install Node ${MIN_NODE.join(".")} or newer.`,
  );
}

async function install() {
  const stampFile = `${root}node_modules/.installed-lock`;
  const lock = createHash("sha256")
    .update(readFileSync(`${root}pnpm-lock.yaml`))
    .digest("hex");
  const stamp = `${lock} ${process.platform}-${process.arch}`;
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) return;
  const { packageManager } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
  const install = ["--yes", packageManager, "install", "--frozen-lockfile"];
  await run("Installing packages (only when the lock file has changed)", "npx", install, { quietForMs: 0 });
  writeFileSync(stampFile, stamp);
}

function runStep(title, nodeArguments, options) {
  return run(title, process.execPath, nodeArguments, options);
}

/** Runs a program to its end. Prints its output only when it fails, and a notice while it takes long. */
function run(title, program, args, { quietForMs }) {
  const startedMs = Date.now();
  const announce = () => say(`${title} …`);
  const first = setTimeout(announce, quietForMs);
  const still = setInterval(
    () => say(`  … ${Math.round((Date.now() - startedMs) / 1000)} s`),
    STILL_RUNNING_EVERY_MS,
  );
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const keep = (chunk) => {
      output = (output + chunk).slice(-OUTPUT_KEPT_CHARACTERS);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.once("error", (error) => reject(new SetupProblem(`${title} failed: ${error.message}.`)));
    child.once("close", (code) => {
      if (code === 0) resolve();
      else reject(new SetupProblem(`${title} failed:\n${output.trim()}`));
    });
  }).finally(() => {
    clearTimeout(first);
    clearInterval(still);
  });
}
