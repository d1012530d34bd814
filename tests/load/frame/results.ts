import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Machine } from "./machine.ts";
import type { Metric } from "./suite.ts";

export interface Results {
  machine: Machine;
  quick: boolean;
  duration_seconds: number;
  metrics: Metric[];
}

/** Writes the results as JSON, and creates the directory. */
export function writeResults(path: string, results: Results): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`);
}

const TABLE = /(<!-- table -->\n)[\s\S]*?(<!-- end of table -->)/;

/** Replaces the table between a Markdown page's markers. Throws when there are none. */
export function replaceTable(path: string, table: string): void {
  const page = readFileSync(path, "utf8");
  if (!TABLE.test(page)) throw new Error(`${path} has no place for a table`);
  writeFileSync(
    path,
    page.replace(TABLE, (_all, start: string, end: string) => `${start}\n${table}\n\n${end}`),
  );
}
