import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Metric, Run, Suite } from "./suite.ts";

/** Runs one suite in its own directory, and always cleans up. */
export async function runSuite(
  suite: Suite,
  options: Pick<Run, "quick" | "rounds" | "wanted" | "say">,
): Promise<Metric[]> {
  const directory = mkdtempSync(join(tmpdir(), "diegetic-load-"));
  const cleanUps: (() => unknown)[] = [() => rmSync(directory, { recursive: true, force: true })];
  try {
    return await suite.run({ ...options, directory, defer: (cleanUp) => cleanUps.push(cleanUp) });
  } finally {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  }
}
