import { readFileSync } from "node:fs";
import { eventually } from "../../helpers/eventually.ts";

/** The state letter of a process as Linux knows it (T: stopped), undefined when there is none. */
function stateOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat[stat.lastIndexOf(")") + 2];
  } catch {
    return undefined;
  }
}

/** Stops a process as a hung machine would, does something once it is seen stopped, and lets it go on. */
export async function whileHung<T>(pid: number, work: () => Promise<T>): Promise<T> {
  process.kill(pid, "SIGSTOP");
  try {
    await eventually(() => stateOf(pid) === "T");
    return await work();
  } finally {
    if (stateOf(pid) !== undefined) process.kill(pid, "SIGCONT");
  }
}

/** Stops a process for so long. */
export function hang(pid: number, forMs: number): Promise<void> {
  return whileHung(pid, () => new Promise((resolve) => setTimeout(resolve, forMs)));
}
