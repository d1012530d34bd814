import type { Transaction } from "@diegetic/database";

/** Locks an account until the end of the transaction, before its members or keys change, or what it has is counted. */
export async function lockAccount(transaction: Transaction, accountId: string): Promise<void> {
  await transaction.$queryRaw`SELECT FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`;
}
