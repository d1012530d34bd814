import { setImmediate as nextTurn } from "node:timers/promises";
import { chunks } from "@diegetic/collections";
import { type Answer, type RequestContext, unprocessable } from "@diegetic/service-kit";

/** Maximum rows of a table in one answer, because it is built in memory. */
export const MAX_CSV_ROWS = 100_000;
/** A large table must not keep other requests waiting. */
const ROWS_PER_TURN = 1_000;
/** Text that spreadsheets interpret as a formula; plain numbers are excluded. */
const FORMULA = /^[=+\-@\t\r]/;
const PLAIN_NUMBER = /^-?\d+(\.\d+)?$/;
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

/** A column of a table: its name, and the text of its cell in a row. */
export type CsvColumn<Row> = readonly [name: string, cellOf: (row: Row) => string];

export function prefersCsv(context: RequestContext): boolean {
  return context.preferredMediaType(["application/json", "text/csv"]) === "text/csv";
}

/** A table as a file. Rejects with 422 when it has too many rows below its header. */
export async function csvAnswer<Row>(
  fileName: string,
  columns: readonly CsvColumn<Row>[],
  rows: readonly Row[],
): Promise<Answer> {
  if (rows.length > MAX_CSV_ROWS) {
    throw unprocessable(`The table would have more than ${MAX_CSV_ROWS} rows: ask for a shorter period.`);
  }
  let content = csvText([columns.map(([name]) => name)]);
  for (const some of chunks(rows, ROWS_PER_TURN)) {
    content += csvText(some.map((row) => columns.map(([, cellOf]) => cellOf(row))));
    await nextTurn();
  }
  return {
    status: 200,
    text: { mediaType: "text/csv", content },
    headers: { Vary: "Accept", "Content-Disposition": `attachment; filename="${fileName}"` },
  };
}

/** One cell (RFC 4180). An apostrophe marks formula-like text, so that no spreadsheet executes it. */
export function csvCell(text: string): string {
  const harmless = FORMULA.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

export function csvText(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(csvCell).join(",")}\n`).join("");
}
