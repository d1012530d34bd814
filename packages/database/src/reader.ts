import type { Prisma } from "./generated/client.ts";
import { openPool, type PoolOptions, queryPool } from "./pool.ts";
import { StatementNames } from "./statement-names.ts";

/**
 * Connections for reads of nearly every request: each statement is prepared once per connection, and rows bypass the
 * Prisma client. Rejects with the classes of errors.ts.
 */
export interface Reader {
  /**
   * Runs one statement whose text is always the same, apart from values. Returns rows as the driver reads them, bigint
   * columns as bigint. Pass days as text (`${day}::date`): the driver formats a Date in the local time zone.
   */
  query<Row extends object>(statement: Prisma.Sql): Promise<Row[]>;
  close(): Promise<void>;
}

const DEFAULT_POOL_SIZE = 8;

/**
 * Opens connections to `postgres://…` lazily. Default `poolSize`: 8. A pooler in between must support prepared statements
 * (PgBouncer 1.21 or later).
 */
export function createReader(url: string, options: Partial<PoolOptions> = {}): Reader {
  const pool = openPool(url, { poolSize: DEFAULT_POOL_SIZE, ...options });
  const names = new StatementNames();
  return {
    query: (statement) => queryPool(pool, statement, names),
    close: () => pool.end(),
  };
}
