import { readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * Puts away the logs of match instances that the start before had and this one has not: `match-3.log` becomes
 * `match-3.previous.log`, and a start later it is removed, as if the instance had been started and said nothing.
 */
export function putAwayLeftoverLogs(logDir: string, matchInstances: number): void {
  const names = new Set(readdirSync(logDir));
  for (const name of names) {
    const [, log, number, previous] = /^(match-(\d+))(\.previous)?\.log$/.exec(name) ?? [];
    if (log === undefined || Number(number) <= matchInstances) continue;
    const file = join(logDir, name);
    if (previous === undefined) renameSync(file, join(logDir, `${log}.previous.log`));
    else if (!names.has(`${log}.log`)) rmSync(file, { force: true });
  }
}
