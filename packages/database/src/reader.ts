import { hash } from "node:crypto";
import { translateError } from "./errors.ts";
import type { Prisma } from "./generated/client.ts";
import { openPool, type PoolOptions } from "./pool.ts";

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
/** Texts of which the names are kept; the code has far fewer. */
const MAX_NAMES = 1_000;

/**
 * Opens connections to `postgres://…`, lazily; at most 8 unless `poolSize` says otherwise. A pooler in between has to follow
 * prepared statements (PgBouncer from 1.21 on).
 */
export function createReader(url: string, options: Partial<PoolOptions> = {}): Reader {
  const pool = openPool(url, { poolSize: DEFAULT_POOL_SIZE, ...options });
  const names = new Map<string, string>();
  return {
    async query<Row extends object>({ text, values }: Prisma.Sql) {
      try {
        const { rows } = await pool.query<Row>({ name: nameOf(text, names), text, values });
        return rows;
      } catch (error) {
        throw translateError(error);
      }
    },
    close: () => pool.end(),
  };
}

/** The name that a statement is prepared under: the same text has the same name. Throws where texts differ without end. */
function nameOf(text: string, names: Map<string, string>): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= MAX_NAMES) throw new RangeError(`more than ${MAX_NAMES} different statements`);
  const name = hash("sha256", text, "hex").slice(0, 32);
  names.set(text, name);
  return name;
}
