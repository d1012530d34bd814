import { readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * Rotates the logs of match instances that only the previous start had: `match-3.log` becomes `match-3.previous.log`, and
 * the next start removes it, as if the instance had been started and logged nothing.
 */
export function rotateLeftoverLogs(logDir: string, matchInstances: number): void {
  const names = new Set(readdirSync(logDir));
  for (const name of names) {
    const [, log, number, previous] = /^(match-(\d+))(\.previous)?\.log$/.exec(name) ?? [];
    if (log === undefined || Number(number) <= matchInstances) continue;
    const file = join(logDir, name);
    if (previous === undefined) renameSync(file, join(logDir, `${log}.previous.log`));
    else if (!names.has(`${log}.log`)) rmSync(file, { force: true });
  }
}
