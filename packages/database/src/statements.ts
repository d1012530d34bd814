import type { Prisma } from "./generated/client.ts";

/** Statements of one transaction. They run in the order in which they were called; a pipeline sends them at once. */
export interface Statements {
  /** Answers rows as they come from the driver; bigint columns as bigint. */
  query<Row extends object>(statement: Prisma.Sql): Promise<Row[]>;
  /** Answers how many rows were touched. */
  execute(statement: Prisma.Sql): Promise<number>;
}
