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

/** Stops processes as a hung machine would, and lets them go on after a while. Answers when they were seen stopped. */
export async function hang(pids: readonly number[], forMs: number): Promise<void> {
  for (const pid of pids) process.kill(pid, "SIGSTOP");
  try {
    await eventually(() => pids.every((pid) => stateOf(pid) === "T"));
    await new Promise((resolve) => setTimeout(resolve, forMs));
  } finally {
    for (const pid of pids) {
      if (stateOf(pid) !== undefined) process.kill(pid, "SIGCONT");
    }
  }
}
