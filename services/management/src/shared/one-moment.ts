import { type Database, inTransaction, type Transaction } from "@diegetic/database";

/** Reads that see the database at one and the same moment, whatever is written meanwhile. */
export function readAtOneMoment<Result>(
  database: Database,
  read: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  return inTransaction(database, async (transaction) => {
    await transaction.$executeRaw`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`;
    return read(transaction);
  });
}
