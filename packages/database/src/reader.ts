import { translateError } from "./errors.ts";
import type { Prisma } from "./generated/client.ts";
import { openPool, type PoolOptions } from "./pool.ts";
import { StatementNames } from "./statement-names.ts";

/**
 * Connections for what is read at nearly every request: each statement is prepared once for each connection, and rows do not
 * pass through the client for models. Rejects with the classes of errors.ts.
 */
export interface Reader {
  /**
   * Runs one statement that is the same text every time, but for its values. Answers rows as they come from the driver; bigint
   * columns as bigint. A day goes in as text (`${day}::date`): the driver would write a Date in the local time zone.
   */
  query<Row extends object>(statement: Prisma.Sql): Promise<Row[]>;
  close(): Promise<void>;
}

const DEFAULT_POOL_SIZE = 8;

/**
 * Opens connections to `postgres://…`, lazily; at most 8 unless `poolSize` says otherwise. A pooler in between has to follow
 * prepared statements (PgBouncer from 1.21 on).
 */
export function createReader(url: string, options: Partial<PoolOptions> = {}): Reader {
  const pool = openPool(url, { poolSize: DEFAULT_POOL_SIZE, ...options });
  const names = new StatementNames();
  return {
    async query<Row extends object>({ text, values }: Prisma.Sql) {
      try {
        const { rows } = await pool.query<Row>({ name: names.of(text), text, values });
        return rows;
      } catch (error) {
        throw translateError(error);
      }
    },
    close: () => pool.end(),
  };
}
