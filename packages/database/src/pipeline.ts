import pg from "pg";
import type { Prisma } from "./generated/client.ts";
import { named, openPool, type PoolOptions, queryPool } from "./pool.ts";
import { StatementNames } from "./statement-names.ts";
import { repeatConflicts, type Statements, traced } from "./transaction.ts";
import { translateError } from "./translate-error.ts";

/**
 * Connections for write-heavy work: statements are sent without waiting for earlier results (pipeline mode), and rows
 * bypass the Prisma client. Rejects with the classes of errors.ts.
 */
export interface Pipeline {
  /**
   * Runs `work` in one transaction (read committed) and commits, or rolls back and rejects. Repeats it after a deadlock, as
   * `inTransaction` does. After a statement has failed, all later ones fail too; rejects with the first failure, also when
   * `work` did not await that statement. The commit is sent directly after the last statement.
   */
  inTransaction<T>(
    work: (statements: Statements) => Promise<T>,
    options?: PipelineTransactionOptions,
  ): Promise<T>;
  /** Runs one statement in its own transaction, without waiting for earlier ones. */
  query<Row extends object>(statement: Prisma.Sql): Promise<Row[]>;
  close(): Promise<void>;
}

const DEFAULT_POOL_SIZE = 4;

export interface PipelineTransactionOptions {
  /**
   * true: the commit does not wait until it is on disk, so a crash of the server may undo it, whole. For transactions
   * that only lock rows, and for writes that are done again when they are missing. Default: false.
   */
  asynchronousCommit?: boolean;
  /** Time limit for each lock; LockTimeout after it. Default: that of a statement. */
  lockTimeoutMs?: number;
}

interface PipelineOptions extends PoolOptions {
  /**
   * Prepares each statement once per connection; for statements whose text is always the same, apart from values. A
   * pooler in between must support prepared statements. Default: false.
   */
  prepared: boolean;
}

/** Opens connections to `postgres://…` lazily. Default `poolSize`: 4. */
export function createPipeline(url: string, options: Partial<PipelineOptions> = {}): Pipeline {
  const { prepared = false, ...poolOptions } = options;
  const pool = openPool(url, { poolSize: DEFAULT_POOL_SIZE, ...poolOptions }, true);
  const names = prepared ? new StatementNames() : undefined;
  return {
    inTransaction: (work, options = {}) =>
      repeatConflicts(() => traced(() => transact(pool, names, work, options))),
    query: (statement) => queryPool(pool, statement, names),
    close: () => pool.end(),
  };
}

async function transact<T>(
  pool: pg.Pool,
  names: StatementNames | undefined,
  work: (statements: Statements) => Promise<T>,
  { asynchronousCommit = false, lockTimeoutMs }: PipelineTransactionOptions,
): Promise<T> {
  let client: pg.PoolClient;
  try {
    client = await pool.connect();
  } catch (error) {
    throw translateError(error);
  }
  let firstFailure: unknown;
  const send = <T>(query: pg.QueryConfig, read: (result: pg.QueryResult) => T): Promise<T> => {
    const answer = client.query(query).then(read);
    // Callers that await the statement get the rejection; without them it must not count as unhandled.
    answer.catch((error: unknown) => {
      firstFailure ??= error;
    });
    return answer;
  };
  const command = (text: string) => send({ text }, (result) => result.command);
  let broken: Error | undefined;
  try {
    const settings = [
      ...(asynchronousCommit ? ["SET LOCAL synchronous_commit TO off"] : []),
      ...(lockTimeoutMs === undefined ? [] : [`SET LOCAL lock_timeout TO ${lockTimeoutMs}`]),
    ];
    void command(["BEGIN", ...settings].join("; "));
    const result = await work({
      query: (sql) => send(named(sql, names), ({ rows }) => rows),
      execute: (sql) => send(named(sql, names), ({ rowCount }) => rowCount ?? 0),
    });
    // After a failed statement, COMMIT rolls back without an error.
    const ended = await command("COMMIT");
    if (ended === "COMMIT" && firstFailure === undefined) return result;
    throw firstFailure ?? new Error(`a transaction ended by ${ended} instead of COMMIT`);
  } catch (error) {
    broken = await command("ROLLBACK").then(
      () => undefined,
      (reason: Error) => reason,
    );
    // Work that awaited a later statement only got "transaction is aborted".
    throw translateError(isAborted(error) ? (firstFailure ?? error) : error);
  } finally {
    client.release(broken);
  }
}

/** Whether a statement did not run because an earlier one had failed. */
function isAborted(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "25P02";
}
