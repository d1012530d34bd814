/**
 * `node scripts/on-node-24.mjs ARGUMENTS`: runs `node ARGUMENTS` on Node 24, the image's version, so that figures are those
 * of the Node that ships. TypeScript of the workspace runs without a build.
 */
import { spawn } from "node:child_process";
import { findNode24 } from "./lib/node-24.mjs";

const TYPESCRIPT = ["--disable-warning=ExperimentalWarning", "--conditions=@diegetic/source"];

const child = spawn(findNode24(), [...TYPESCRIPT, ...process.argv.slice(2)], { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code) => {
  process.exitCode = code ?? 1;
});
