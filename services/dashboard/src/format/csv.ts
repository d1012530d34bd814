import { textCell } from "@diegetic/contracts/formula";
import { dollarsOfCents } from "./format.ts";

/** What stands in a cell of a table, to be sorted by or downloaded. */
export type CellValue = string | number | boolean | null | undefined;

/** A table of RFC 4180. Texts that a spreadsheet would run get an apostrophe. */
export function toCsv(header: readonly string[], rows: readonly (readonly CellValue[])[]): string {
  return [header, ...rows].map((cells) => `${cells.map(cellText).join(",")}\r\n`).join("");
}

function cellText(value: CellValue): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? textCell(value) : String(value);
}

const CENTS = /_cents$/;

/** A table of the API with its amounts in dollars, as those of the pages: `spent_cents` becomes `spent_usd`. */
export function csvInDollars(csv: string): string {
  const [header = [], ...rows] = cellsOf(csv);
  const text = (cells: readonly string[]) => `${cells.join(",")}\r\n`;
  const inDollars = rows.map((cells) =>
    cells.map((cell, column) =>
      CENTS.test(header[column] ?? "") && cell !== "" ? String(dollarsOfCents(Number(cell))) : cell,
    ),
  );
  return [header.map((name) => name.replace(CENTS, "_usd")), ...inDollars].map(text).join("");
}

/** The cells of a table as they stand there, with their quotes. */
function cellsOf(csv: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  const endRow = () => {
    if (row.length > 0 || cell !== "") rows.push([...row, cell]);
    row = [];
    cell = "";
  };
  // A doubled quote is two quoted parts beside each other.
  for (const [part] of csv.matchAll(/"[^"]*"|[^",\r\n]+|,|\r?\n/g)) {
    if (part === ",") {
      row.push(cell);
      cell = "";
    } else if (part.endsWith("\n")) endRow();
    else cell += part;
  }
  endRow();
  return rows;
}

/** "spend-last-30-days.csv" for "Spend, last 30 days". */
function csvFileName(title: string): string {
  return `${title.toLowerCase().replaceAll(/\W+/g, "-")}.csv`;
}

interface CsvColumn<Row> {
  header: string;
  /** Of the numbers, which have no sign of a currency or a share. */
  unit?: "USD" | "%" | undefined;
  cellOf: (row: Row) => CellValue;
}

/** Hands rows to the browser as a file that is named after the title. */
export function downloadRows<Row>(
  title: string,
  columns: readonly CsvColumn<Row>[],
  rows: readonly Row[],
): void {
  const header = columns.map(({ header, unit }) => (unit === undefined ? header : `${header} (${unit})`));
  const text = toCsv(
    header,
    rows.map((row) => columns.map(({ cellOf }) => cellOf(row))),
  );
  download(csvFileName(title), text);
}

/** A browser may read the file after the click has returned. */
const REVOKE_AFTER_MS = 60_000;

/** Hands the text to the browser as a file. */
export function download(fileName: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), REVOKE_AFTER_MS);
}
