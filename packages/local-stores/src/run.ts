import { spawn } from "node:child_process";
import { SetupError } from "./process.ts";

/** Runs a program to its end. When it fails, rejects with the last line of its output. */
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
      else reject(new SetupError(`${program} failed: ${output.trim().split("\n").at(-1) ?? ""}`));
    });
    child.stdin.end(input);
  });
}
