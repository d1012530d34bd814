import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = new URL("../../../", import.meta.url);

/** A row of a table: its cells by column name, without surrounding space and backticks. */
export type Row = Record<string, string>;

/** The content of one heading, up to the next heading of any level. */
export interface Section {
  heading: string;
  /** The blocks fenced as `json`, parsed. */
  json: unknown[];
  tables: Row[][];
}

/** The sections of a document of this repository, such as `docs/matching.md`; throws when it does not exist. */
export function readDocument(path: string): Section[] {
  const text = readFileSync(fileURLToPath(new URL(path, ROOT)), "utf8");
  return text.split(/^(?=#{1,6} )/m).map((part) => {
    const [first = "", ...rest] = part.split("\n");
    const body = rest.join("\n");
    return {
      heading: first.replace(/^#+ /, "").trim(),
      json: [...body.matchAll(/^```json\n(.*?)^```$/gms)].map((block) => JSON.parse(block[1] ?? "")),
      tables: body.split(/\n(?!\|)/).flatMap(tableOf),
    };
  });
}

/** The section with this heading; throws unless there is exactly one. */
export function sectionOf(sections: readonly Section[], heading: string): Section {
  const [found, ...others] = sections.filter((section) => section.heading === heading);
  if (found === undefined || others.length > 0) throw new Error(`not exactly one section "${heading}"`);
  return found;
}

/** The first table of a section; throws when there is none. */
export function tableIn(sections: readonly Section[], heading: string): Row[] {
  const [table] = sectionOf(sections, heading).tables;
  if (table === undefined) throw new Error(`no table in "${heading}"`);
  return table;
}

/** The first JSON block of a section; throws when there is none. */
export function jsonIn(sections: readonly Section[], heading: string): unknown {
  const { json } = sectionOf(sections, heading);
  if (json.length === 0) throw new Error(`no JSON in "${heading}"`);
  return json[0];
}

/** Parses a run of lines as a table, if it is one. Throws for a row with too few or too many cells. */
function tableOf(lines: string): Row[][] {
  const [head, rule, ...rows] = lines
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map(cellsOf);
  if (head === undefined || !rule?.every((cell) => /^:?-+:?$/.test(cell))) return [];
  const table = rows.map((cells) => {
    if (cells.length !== head.length) throw new Error(`not ${head.length} cells: ${cells.join(" | ")}`);
    return Object.fromEntries(head.map((name, index) => [name, cells[index] ?? ""]));
  });
  return [table];
}

function cellsOf(line: string): string[] {
  return line
    .trim()
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim().replace(/^`([^`]*)`$/, "$1"));
}
