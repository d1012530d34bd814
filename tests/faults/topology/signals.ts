import { readFileSync } from "node:fs";
import { eventually } from "@diegetic/testing/eventually";

/** State letter of a process on Linux (T: stopped); undefined: no such process. */
function stateOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat[stat.lastIndexOf(")") + 2];
  } catch {
    return undefined;
  }
}

/** Suspends a process like a hung machine, runs the work once it is stopped, and resumes it. */
export async function whileHung<T>(pid: number, work: () => Promise<T>): Promise<T> {
  process.kill(pid, "SIGSTOP");
  try {
    await eventually(() => stateOf(pid) === "T");
    return await work();
  } finally {
    if (stateOf(pid) !== undefined) process.kill(pid, "SIGCONT");
  }
}

/** Suspends a process for a time. */
export function hang(pid: number, forMs: number): Promise<void> {
  return whileHung(pid, () => new Promise((resolve) => setTimeout(resolve, forMs)));
}
