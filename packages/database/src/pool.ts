import pg from "pg";
import { PoolClient } from "./client.ts";
import { connectionStringOf } from "./connection-string.ts";
import { gatheringSocket } from "./gathering-socket.ts";
import type { Prisma } from "./generated/client.ts";
import type { StatementNames } from "./statement-names.ts";
import { translateError } from "./translate-error.ts";

export interface PoolOptions {
  /** Shown by pg_stat_activity, so that an operator can tell the connections apart. */
  applicationName?: string;
  /** Maximum connections of the pool. */
  poolSize: number;
  /** Time limit of one statement. Default: 10 000. */
  statementTimeoutMs?: number;
  /** Default: 60. */
  maxLifetimeSeconds?: number;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** Milliseconds. Prisma's defaults are shorter. */
export const TRANSACTION_LIMITS = { maxWait: CONNECT_TIMEOUT_MS, timeout: 15_000 };
const DEFAULT_STATEMENT_TIMEOUT_MS = 10_000;
/**
 * How much later the client gives up: for a server that vanished without closing its connections; a live server ends the statement
 * by itself. Counts from sending the statement: in a pipeline, earlier statements may have to run first.
 */
const ANSWER_MARGIN_MS = 5_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000;
/**
 * After this time a connection is replaced: one that only reads would stay on a former primary that still answers, and
 * read old rows.
 */
const DEFAULT_LIFETIME_SECONDS = 60;

const BIGINT_OID = 20;
/** Column parsers: bigint as bigint, everything else as the driver's default. */
const driverTypes = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === BIGINT_OID && format !== "binary" ? BigInt : pg.types.getTypeParser(oid, format),
} as pg.CustomTypesConfig;

/** The settings of every pool, which opens connections to `postgres://…` lazily. */
export function poolConfig(
  url: string,
  {
    applicationName = "diegetic",
    poolSize,
    statementTimeoutMs = DEFAULT_STATEMENT_TIMEOUT_MS,
    maxLifetimeSeconds = DEFAULT_LIFETIME_SECONDS,
  }: PoolOptions,
) {
  return {
    connectionString: connectionStringOf(url),
    max: poolSize,
    maxLifetimeSeconds,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + ANSWER_MARGIN_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    keepAlive: true,
    Client: PoolClient,
  };
}

/**
 * Opens connections to `postgres://…` lazily, without Prisma.
 * @param pipeline sends statements without waiting for earlier results
 */
export function openPool(url: string, options: PoolOptions, pipeline = false): pg.Pool {
  const pool = new pg.Pool({
    ...poolConfig(url, options),
    pipeline,
    types: driverTypes,
    ...(pipeline && { stream: gatheringSocket }),
  });
  // The pool replaces connections that break while idle; without a listener the process would end.
  pool.on("error", () => {});
  return pool;
}

/** Runs one statement in its own transaction; with names, prepares it. Rejects with the classes of errors.ts. */
export async function queryPool<Row extends object>(pool: pg.Pool, sql: Prisma.Sql, names?: StatementNames) {
  try {
    return (await pool.query<Row>(named(sql, names))).rows;
  } catch (error) {
    throw translateError(error);
  }
}

export function named({ text, values }: Prisma.Sql, names?: StatementNames): pg.QueryConfig {
  return names === undefined ? { text, values } : { name: names.of(text), text, values };
}
