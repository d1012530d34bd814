import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
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

const TABLE = /(<!-- table -->\n)[\s\S]*?(<!-- end of table -->)/;

/** Puts a table in the place that a Markdown page keeps for it. Throws when there is none. */
export function replaceTable(path: string, table: string): void {
  const page = readFileSync(path, "utf8");
  if (!TABLE.test(page)) throw new Error(`${path} has no place for a table`);
  writeFileSync(
    path,
    page.replace(TABLE, (_all, start: string, end: string) => `${start}\n${table}\n\n${end}`),
  );
}
