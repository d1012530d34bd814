import { setTimeout as sleep } from "node:timers/promises";
import type { Database, Transaction } from "./database.ts";
import { TransactionConflict, translateError } from "./errors.ts";
import type { Statements } from "./statements.ts";

export interface TransactionOptions {
  /** How often the work is run at most when other transactions are in the way. Default: 5. */
  attempts?: number;
  /** How long the work may take before it is rolled back. Milliseconds, default: 15 000. */
  timeoutMs?: number;
  /** How long to wait for a connection. Milliseconds, default: 5 000. */
  connectTimeoutMs?: number;
}

const FIRST_PAUSE_MS = 10;

/**
 * Runs `work` in one transaction (read committed) and commits, or rolls back and rejects. After a deadlock or a
 * serialization failure the whole work is run again, and what it did may be rolled back after all: outside of the transaction it must
 * have no effects but idempotent ones that something later puts right. Those who need such an effect while rows are locked say so.
 */
export async function inTransaction<T>(
  database: Database,
  work: (transaction: Transaction) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const { attempts = 5, timeoutMs = 15_000, connectTimeoutMs = 5_000 } = options;
  return repeatConflicts(
    () => database.$transaction(work, { timeout: timeoutMs, maxWait: connectTimeoutMs }),
    attempts,
  );
}

/** Runs a transaction again while others are in its way. Rejects with the classes of errors.ts. */
export async function repeatConflicts<T>(transact: () => Promise<T>, attempts: number): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transact();
    } catch (caught) {
      const error = translateError(caught);
      if (!(error instanceof TransactionConflict) || attempt >= attempts) throw error;
      // Jitter keeps two transactions from meeting again in step.
      await sleep(FIRST_PAUSE_MS * 2 ** attempt * (0.5 + Math.random()));
    }
  }
}

/**
 * Runs work that is written as statements inside a transaction of the client for models, which sends one after the other.
 * Rejects when one of them fails, also one that the work has not waited for.
 */
export async function withStatements<T>(
  transaction: Transaction,
  work: (statements: Statements) => Promise<T>,
): Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Answer>(run: () => Promise<Answer>): Promise<Answer> => {
    const answer = last.then(run);
    last = answer;
    // Whoever waits is told; the end waits for the last one.
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
