import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Machine } from "./machine.ts";
import type { Figure } from "./suite.ts";

export interface Results {
  machine: Machine;
  quick: boolean;
  duration_seconds: number;
  figures: Figure[];
}

/** Writes the results as JSON and makes the directory. */
export function writeResults(path: string, results: Results): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`);
}
