import { isNativeError } from "node:util/types";
import pg from "pg";
import { READ_ONLY_SQL_STATE } from "./client.ts";
import {
  ConstraintViolation,
  DatabaseError,
  DatabaseUnavailable,
  DatabaseUnusable,
  LockTimeout,
  RecordMissing,
  StatementTimeout,
  TransactionConflict,
  UniqueViolation,
} from "./errors.ts";

interface DriverCause {
  kind?: string;
  originalCode?: string;
  originalMessage?: string;
  /** Of a failed TLS connection. */
  reason?: string;
  constraint?: { index?: string; fields?: string[] };
}

/** The last one is Prisma's code for transactions that cannot begin or continue. */
const UNAVAILABLE_CODES = new Set(["P1001", "P1002", "P1008", "P1017", "P2024", "P2028"]);
const UNAVAILABLE_KINDS = new Set([
  "DatabaseNotReachable",
  "ConnectionClosed",
  "SocketTimeout",
  "TooManyConnections",
  "TlsConnectionError",
]);
/** Of the server, and of a role or database with a limit of its own. */
const TOO_MANY_CONNECTIONS_SQL_STATE = "53300";
const EXPIRED_MESSAGE = /expired transaction/;
/** Connection lost, read-only server, transaction too long, out of resources, shutdown. */
const UNAVAILABLE_SQL_STATE = /^(08|25006|25P03|25P04|53|57)/;
/** Errors of a connection that cannot be established, or broke; a Unix socket is missing while its server does not run. */
const UNAVAILABLE_SYSTEM_CODE =
  /^E(CONN|PIPE|HOST|NET|TIMEDOUT|NOTFOUND|AI_|NOENT|ACCES|AGAIN|MFILE|NFILE|ADDRNOTAVAIL)/;
/** Messages of driver errors without a code. */
const UNAVAILABLE_MESSAGE =
  /connection error|Connection terminated|timeout exceeded when trying to connect|^timeout expired$|Query read timeout|pool after calling end|not queryable|SSL connection/i;
const FILE_CODES: ReadonlySet<unknown> = new Set(["ENOENT", "EACCES", "EPERM", "EISDIR", "ENOTDIR"]);
/** Of a server's certificate that is not trusted, or not for this host. */
const CERTIFICATE_CODE = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_|HOSTNAME_MISMATCH)/;
/** The driver's sentences about a server that takes no TLS. */
const WITHOUT_TLS = /SSL connection/;
const CONFLICT_SQL_STATES = new Set(["40001", "40P01"]);

/** Converts an error of Prisma or its driver into one of the classes of errors.ts; returns others unchanged. */
export function translateError(error: unknown): unknown {
  if (!isNativeError(error) || error instanceof DatabaseError) return error;
  const { code, meta } = error as { code?: unknown; meta?: { driverAdapterError?: { cause?: DriverCause } } };
  const cause = meta?.driverAdapterError?.cause ?? driverCauseOf(error);
  const sqlState = cause?.originalCode ?? "";
  const message = cause?.originalMessage ?? error.message;
  const options = { cause: error };
  if (sqlState === "23505" || code === "P2002") {
    return new UniqueViolation(constraintOf(cause) ?? "unknown", options);
  }
  if (code === "P2025") return new RecordMissing(message, options);
  if (CONFLICT_SQL_STATES.has(sqlState) || code === "P2034") return new TransactionConflict(message, options);
  if (sqlState === "55P03") return new LockTimeout(message, options);
  if (sqlState === "57014" || (code === "P2028" && EXPIRED_MESSAGE.test(message))) {
    return new StatementTimeout(message, options);
  }
  if (/^2[23]/.test(sqlState)) return new ConstraintViolation(message, constraintOf(cause), options);
  const unusable =
    unusableSentence(sqlState) ?? fileSentence(code, error.message) ?? certificateSentence(code, cause);
  if (unusable !== undefined) return new DatabaseUnusable(unusable, options);
  if (
    UNAVAILABLE_SQL_STATE.test(sqlState) ||
    UNAVAILABLE_KINDS.has(cause?.kind ?? "") ||
    UNAVAILABLE_CODES.has(String(code)) ||
    UNAVAILABLE_SYSTEM_CODE.test(String(code)) ||
    (sqlState === "" && UNAVAILABLE_MESSAGE.test(error.message))
  ) {
    return new DatabaseUnavailable(unavailableSentence(sqlState, message || String(code)), options);
  }
  return error;
}

function unusableSentence(sqlState: string): string | undefined {
  if (sqlState.startsWith("28"))
    return "Postgres refuses the user or the password of DATABASE_URL: correct them.";
  if (sqlState.startsWith("3D")) {
    return "Postgres has no database of the name in DATABASE_URL: create it, or correct the name.";
  }
  return undefined;
}

/** Certificates and keys are read when a connection is opened. */
function fileSentence(code: unknown, message: string): string | undefined {
  if (!FILE_CODES.has(code)) return undefined;
  const line = lastLineOf(message);
  const file = /, (?:open|read)(?: '([^']*)')?$/.exec(line);
  if (file !== null) {
    const name = file[1] === undefined ? "A file" : `The file ${file[1]}`;
    return `${name} that DATABASE_URL names cannot be read (${code}): correct its path or its permissions.`;
  }
  const socket = /^connect EACCES (\/.*)$/.exec(line)?.[1];
  return (
    socket && `The socket ${socket} of DATABASE_URL may not be opened (EACCES): correct its permissions.`
  );
}

function certificateSentence(code: unknown, cause: DriverCause | undefined): string | undefined {
  // Prisma keeps only OpenSSL's words, and Node's advice behind them.
  const reason = cause?.kind === "TlsConnectionError" ? cause.reason?.split(";")[0] : undefined;
  const why = CERTIFICATE_CODE.test(String(code)) ? code : reason;
  if (why === undefined || WITHOUT_TLS.test(String(why))) return undefined;
  return `The certificate of Postgres is not trusted (${why}): name its issuer's certificates in NODE_EXTRA_CA_CERTS, and in DATABASE_URL the host that it is for.`;
}

/** Prisma's message quotes the failing code first and gives the reason below it. */
function lastLineOf(message: string): string {
  return message.trim().split("\n").at(-1)?.trim() ?? "";
}

function unavailableSentence(sqlState: string, message: string): string {
  if (sqlState === READ_ONLY_SQL_STATE) {
    return "Postgres at DATABASE_URL only allows reads: see that the address leads to the primary server.";
  }
  const lastLine = lastLineOf(message);
  if (sqlState === TOO_MANY_CONNECTIONS_SQL_STATE) {
    return `Postgres takes no further connection (${lastLine}): raise max_connections, or the connection limit of its user or database.`;
  }
  const why = /Message: `([^`]+)`$/.exec(lastLine)?.[1] ?? lastLine;
  return `Postgres is not reached at DATABASE_URL (${why}): see that it runs, and that the address is right.`;
}

function driverCauseOf(error: Error): DriverCause | undefined {
  if (error instanceof pg.DatabaseError) {
    const { code = "", message, constraint } = error;
    const named = constraint === undefined ? {} : { constraint: { index: constraint } };
    return { originalCode: code, originalMessage: message, ...named };
  }
  return error.name === "DriverAdapterError" && typeof error.cause === "object" && error.cause !== null
    ? error.cause
    : undefined;
}

function constraintOf(cause: DriverCause | undefined): string | null {
  return (
    cause?.constraint?.index ??
    cause?.constraint?.fields?.join(", ") ??
    /constraint "([^"]+)"/.exec(cause?.originalMessage ?? "")?.[1] ??
    null
  );
}
