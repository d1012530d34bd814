import { setTimeout as sleep } from "node:timers/promises";
import { tracing } from "@diegetic/tracing";
import type { Database, Transaction } from "./database.ts";
import { TransactionConflict } from "./errors.ts";
import type { Prisma } from "./generated/client.ts";
import { TRANSACTION_LIMITS } from "./pool.ts";
import { translateError } from "./translate-error.ts";

/** Statements of one transaction. They run in call order; a pipeline sends them at once. */
export interface Statements {
  /** Returns rows as the driver reads them; bigint columns as bigint. */
  query<Row extends object>(statement: Prisma.Sql): Promise<Row[]>;
  /** Returns the number of affected rows. */
  execute(statement: Prisma.Sql): Promise<number>;
}

interface TransactionOptions {
  /** Time limit of the work; it is rolled back afterwards. Default: 15 000. */
  timeoutMs?: number;
}

/** After deadlocks and serialization failures. */
const MAX_ATTEMPTS = 5;
const FIRST_PAUSE_MS = 10;

/**
 * Runs `work` in one transaction (read committed) and commits, or rolls back and rejects. Repeats the whole work after a
 * deadlock or a serialization failure. Any attempt may be rolled back, so `work` may have only idempotent effects outside
 * the transaction, which something later corrects. Callers that need such an effect while rows are locked document it.
 */
export async function inTransaction<T>(
  database: Database,
  work: (transaction: Transaction) => Promise<T>,
  { timeoutMs = TRANSACTION_LIMITS.timeout }: TransactionOptions = {},
): Promise<T> {
  return repeatConflicts(() => traced(() => database.$transaction(work, { timeout: timeoutMs })));
}

/** Each attempt is a transaction of its own. */
export function traced<T>(transact: () => Promise<T>): Promise<T> {
  if (tracing === undefined) return transact();
  const attributes = { "db.system.name": "postgresql" };
  return tracing.child({ name: "transaction", kind: "client", attributes }, transact);
}

/** Repeats a transaction after conflicts with others. Rejects with the classes of errors.ts. */
export async function repeatConflicts<T>(transact: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transact();
    } catch (caught) {
      const error = translateError(caught);
      if (!(error instanceof TransactionConflict) || attempt >= MAX_ATTEMPTS) throw error;
      // Jitter keeps two transactions from colliding again.
      await sleep(FIRST_PAUSE_MS * 2 ** attempt * (0.5 + Math.random()));
    }
  }
}

/**
 * Runs statements inside a transaction of the Prisma client, which sends them one after the other. Rejects when one
 * fails, also one that the work did not await.
 */
export async function withStatements<T>(
  transaction: Transaction,
  work: (statements: Statements) => Promise<T>,
): Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Answer>(run: () => Promise<Answer>): Promise<Answer> => {
    const answer = last.then(run);
    last = answer;
    // Callers that await the statement get the rejection; the transaction ends after the last statement.
    answer.catch(() => undefined);
    return answer;
  };
  const result = await work({
    query: (statement) => inTurn(() => transaction.$queryRaw(statement)),
    execute: (statement) => inTurn(() => transaction.$executeRaw(statement)),
  });
  await last;
  return result;
}
