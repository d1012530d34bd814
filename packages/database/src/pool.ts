import pg from "pg";
import { PoolClient } from "./client.ts";
import { connectionStringOf } from "./connection-string.ts";
import { driverTypes } from "./driver-types.ts";
import { translateError } from "./errors.ts";
import { gatheringSocket } from "./gathering-socket.ts";
import type { Prisma } from "./generated/client.ts";
import type { StatementNames } from "./statement-names.ts";

export interface PoolOptions {
  /** Shown by pg_stat_activity. */
  applicationName?: string;
  poolSize: number;
  /** Default: DEFAULT_LIFETIME_SECONDS. */
  maxLifetimeSeconds?: number;
}

export const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 10_000;
/**
 * For a server that vanished without closing its connections; a live server ends the statement earlier by itself. Counts
 * from sending the statement: in a pipeline, earlier statements may have to run first.
 */
const ANSWER_TIMEOUT_MS = 15_000;
/**
 * After this time a connection is replaced: one that only reads would stay on a former primary that still answers, and
 * read old rows.
 */
export const DEFAULT_LIFETIME_SECONDS = 60;

/**
 * Opens connections to `postgres://…` lazily, without Prisma.
 * @param pipeline sends statements without waiting for earlier results
 */
export function openPool(
  url: string,
  { applicationName, poolSize, maxLifetimeSeconds = DEFAULT_LIFETIME_SECONDS }: PoolOptions,
  pipeline = false,
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: connectionStringOf(url),
    pipeline,
    max: poolSize,
    maxLifetimeSeconds,
    application_name: applicationName ?? "diegetic",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    idle_in_transaction_session_timeout: 2 * ANSWER_TIMEOUT_MS,
    keepAlive: true,
    types: driverTypes,
    Client: PoolClient,
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
