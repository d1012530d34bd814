import { PrismaPg } from "@prisma/adapter-pg";
import { PoolClient } from "./client.ts";
import { connectionStringOf } from "./connection-string.ts";
import { translateError } from "./errors.ts";
import { type Prisma, PrismaClient } from "./generated/client.ts";
import { CONNECT_TIMEOUT_MS, DEFAULT_LIFETIME_SECONDS } from "./pool.ts";

/** The Prisma client; its calls reject with the classes of errors.ts. Close it by `$disconnect()`. */
export type Database = Omit<PrismaClient, "$on" | "$extends">;
/** The client inside `inTransaction`. */
export type Transaction = Prisma.TransactionClient;

interface DatabaseOptions {
  /** Maximum connections of this process. Default: 10. */
  poolSize?: number;
  /** Shown by pg_stat_activity, so that an operator can tell the connections apart. */
  applicationName?: string;
  /** Time limit of one statement. Default: 10 000. */
  statementTimeoutMs?: number;
  /** Default: DEFAULT_LIFETIME_SECONDS. */
  maxLifetimeSeconds?: number;
}

const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000;

/** Opens a pool of connections to `postgres://…` lazily: the first call rejects when the database is unavailable. */
export function createDatabase(url: string, options: DatabaseOptions = {}): Database {
  const statementTimeoutMs = options.statementTimeoutMs ?? 10_000;
  const adapter = new PrismaPg(
    {
      connectionString: connectionStringOf(url),
      max: options.poolSize ?? 10,
      maxLifetimeSeconds: options.maxLifetimeSeconds ?? DEFAULT_LIFETIME_SECONDS,
      application_name: options.applicationName ?? "diegetic",
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: statementTimeoutMs,
      // For a server that vanished without closing its connections; a live server ends the statement earlier by itself.
      query_timeout: statementTimeoutMs + 5_000,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
      keepAlive: true,
      Client: PoolClient,
    },
    // The pool replaces connections that break while idle; without a listener the process would end.
    { onPoolError: () => {}, onConnectionError: () => {} },
  );
  const client = new PrismaClient({ adapter });
  return client.$extends({
    query: {
      async $allOperations({ args, query }) {
        try {
          return await query(args);
        } catch (error) {
          throw translateError(error);
        }
      },
    },
  }) as unknown as Database;
}
