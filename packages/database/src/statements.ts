import type { Prisma } from "./generated/client.ts";

/** Statements of one transaction. They run in call order; a pipeline sends them at once. */
export interface Statements {
  /** Returns rows as the driver reads them; bigint columns as bigint. */
  query<Row extends object>(statement: Prisma.Sql): Promise<Row[]>;
  /** Returns the number of affected rows. */
  execute(statement: Prisma.Sql): Promise<number>;
}
