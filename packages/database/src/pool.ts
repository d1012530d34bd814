import pg from "pg";
import { PoolClient } from "./client.ts";
import { driverTypes } from "./driver-types.ts";

export interface PoolOptions {
  /** Shown by pg_stat_activity. */
  applicationName?: string;
  /** Most connections. */
  poolSize: number;
}

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 10_000;
/**
 * For a server that is gone without a word: the statement's own time-out comes first wherever it still lives. Counts from when
 * a statement was sent: in a pipeline those that were sent before it may have to run first.
 */
const ANSWER_TIMEOUT_MS = 15_000;

/** Connections to `postgres://…` without the client for models, opened lazily. `pipeline`: statements do not wait for each other. */
export function openPool(url: string, { applicationName, poolSize }: PoolOptions, pipeline = false): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    pipeline,
    max: poolSize,
    application_name: applicationName ?? "diegetic",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    idle_in_transaction_session_timeout: 2 * ANSWER_TIMEOUT_MS,
    keepAlive: true,
    types: driverTypes,
    Client: PoolClient,
  });
  // A connection that breaks while idle is replaced; without a listener the process would end.
  pool.on("error", () => {});
  return pool;
}
