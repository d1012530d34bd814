import { spawn } from "node:child_process";
import { basename } from "node:path";
import { SetupError } from "./process.ts";

/** Marks the line that names the cause. Later lines describe the cleanup. */
const REASON = /\b(?:error|FATAL|PANIC): /;

/** Runs a program to its end. When it fails, rejects with the first line of its output that names an error, or the last one. */
export function runQuietly(command: string[], input = ""): Promise<void> {
  const [program = "", ...args] = command;
  return new Promise((resolve, reject) => {
    // In its own group, so that Ctrl-C cannot leave a half-initialised data directory.
    const child = spawn(program, args, { detached: true, stdio: ["pipe", "pipe", "pipe"] });
    let output = "";
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString("utf8")).slice(-4_000);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.once("error", () => reject(new SetupError(`${program} was not found on this machine.`)));
    child.once("close", (code) => {
      if (code === 0) resolve();
      else reject(new SetupError(`${nameOf(command)} failed: ${reasonIn(output)}`));
    });
    // A program that ends without reading its input says why by itself.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}

function reasonIn(output: string): string {
  const lines = output.trim().split("\n");
  return lines.find((line) => REASON.test(line)) ?? lines.at(-1) ?? "";
}

/** Of a program that another one runs as a user: its own name. */
function nameOf(command: readonly string[]): string {
  return basename(command[command.indexOf("--") + 1] ?? "");
}
