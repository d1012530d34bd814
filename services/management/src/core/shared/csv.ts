import { setImmediate as nextTurn } from "node:timers/promises";
import { chunks } from "@diegetic/collections";
import { MAX_CSV_ROWS, tooManyRows } from "@diegetic/contracts";
import { textCell } from "@diegetic/contracts/formula";
import type { Answer, RequestContext } from "@diegetic/service-kit";
import { readWindow, type Window, windowAnswer } from "./paging.ts";

/** A large table must not keep other requests waiting. */
const ROWS_PER_TURN = 1_000;
/** No formula, although it may begin with a sign. */
const PLAIN_NUMBER = /^-?\d+(\.\d+)?$/;

/** A column of a table: its name, and the text of its cell in a row. */
export type CsvColumn<Row> = readonly [name: string, cellOf: (row: Row) => string];

export function prefersCsv(context: RequestContext): boolean {
  return context.preferredMediaType(["application/json", "text/csv"]) === "text/csv";
}

/** The requested window of a list; for a client that prefers a table, the whole table. */
export function readTableWindow(context: RequestContext): Window {
  return prefersCsv(context) ? { limit: MAX_CSV_ROWS, offset: 0 } : readWindow(context);
}

/** A table as a file, or one window of it as JSON, as the client prefers. Rejects with 422 when the file would have too many rows. */
export async function tableAnswer<Row>(
  context: RequestContext,
  window: Window,
  { rows, hasMore }: { rows: readonly Row[]; hasMore: boolean },
  table: { fileName: string; columns: readonly CsvColumn<Row>[]; toBody: () => unknown },
): Promise<Answer> {
  if (prefersCsv(context)) {
    if (hasMore) throw tooManyRows.error();
    return csvAnswer(table.fileName, table.columns, rows);
  }
  return windowAnswer(context, window, { body: table.toBody(), hasMore }, { Vary: "Accept" });
}

/** A table as a file. Rejects with 422 when it has too many rows below its header. */
export async function csvAnswer<Row>(
  fileName: string,
  columns: readonly CsvColumn<Row>[],
  rows: readonly Row[],
): Promise<Answer> {
  if (rows.length > MAX_CSV_ROWS) throw tooManyRows.error();
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

/** One cell. */
export function csvCell(text: string): string {
  return PLAIN_NUMBER.test(text) ? text : textCell(text);
}

export function csvText(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(csvCell).join(",")}\n`).join("");
}
