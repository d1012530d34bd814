import { type Answer, type RequestContext, unprocessable } from "@diegetic/service-kit";
import { csvText } from "./csv.ts";

/** Maximum rows of a table in one answer, because it is built in memory. */
export const MAX_CSV_ROWS = 100_000;

export function prefersCsv(context: RequestContext): boolean {
  return context.preferredMediaType(["application/json", "text/csv"]) === "text/csv";
}

/** A table as a file. Throws 422 when it has too many rows below its header. */
export function csvAnswer(
  fileName: string,
  header: readonly string[],
  rows: readonly (readonly string[])[],
): Answer {
  if (rows.length > MAX_CSV_ROWS) {
    throw unprocessable(`The table would have more than ${MAX_CSV_ROWS} rows: ask for a shorter period.`);
  }
  return {
    status: 200,
    text: { mediaType: "text/csv", content: csvText([header, ...rows]) },
    headers: { Vary: "Accept", "Content-Disposition": `attachment; filename="${fileName}"` },
  };
}
