import { createReadStream, statSync } from "node:fs";
import { connect } from "node:net";
import { createInterface } from "node:readline";

const READ_INTERVAL_MS = 50;

/** Whether test runs print the commands to their stores: `TRACE_STORES=1`. */
export const isTracing = process.env.TRACE_STORES === "1";

/** Postgres settings that log each statement with its parameters. */
export const TRACED_POSTGRES = ["log_statement=all", "log_error_verbosity=default", "log_line_prefix=%d "];

/** Prints every command of this Redis, including those inside scripts, to standard error. */
export function traceRedis(url) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname, () => socket.write("MONITOR\r\n"));
  socket.on("error", () => {}); // The server ends with the test.
  socket.unref();
  createInterface({ input: socket }).on("line", (line) => process.stderr.write(`redis ${line}\n`));
}

/** Prints new lines of Postgres' log to standard error. */
export function tracePostgres(logFile) {
  let start = statSync(logFile).size;
  const read = () => {
    const end = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
    if (end <= start) return;
    const added = createReadStream(logFile, { start, end: end - 1 });
    start = end;
    createInterface({ input: added }).on("line", (line) => process.stderr.write(`postgres ${line}\n`));
  };
  setInterval(read, READ_INTERVAL_MS).unref();
}
