import pg from "pg";
import { translateError } from "./errors.ts";
import type { Prisma } from "./generated/client.ts";
import { openPool, type PoolOptions } from "./pool.ts";
import { StatementNames } from "./statement-names.ts";
import type { Statements } from "./statements.ts";
import { repeatConflicts } from "./transaction.ts";

/**
 * Connections for those who write much: a statement does not wait for the answer to the one before, nor do rows pass through
 * the client for models. Rejects with the classes of errors.ts.
 */
export interface Pipeline {
  /**
   * Runs `work` in one transaction (read committed) and commits, or rolls back and rejects; after a deadlock again, as
   * `inTransaction` does. Once a statement has failed, all that were sent after it fail, too: the first failure is the cause.
   * That holds for statements whose answers `work` does not wait for, as well: the commit is sent right behind them.
   */
  inTransaction<T>(work: (statements: Statements) => Promise<T>): Promise<T>;
  /** Runs one statement in a transaction of its own, without waiting for one before. */
  query<Row extends object>(statement: Prisma.Sql): Promise<Row[]>;
  close(): Promise<void>;
}

const DEFAULT_POOL_SIZE = 4;
const CONFLICT_ATTEMPTS = 5;

export interface PipelineOptions extends PoolOptions {
  /**
   * Whether each statement is prepared once for each connection: for statements that are the same text every time, but for
   * their values. A pooler in between has to follow prepared statements. Default: false.
   */
  prepared: boolean;
}

/** Opens connections to `postgres://…`, lazily; at most 4 unless `poolSize` says otherwise. */
export function createPipeline(url: string, options: Partial<PipelineOptions> = {}): Pipeline {
  const { prepared = false, ...poolOptions } = options;
  const pool = openPool(url, { poolSize: DEFAULT_POOL_SIZE, ...poolOptions }, true);
  const names = prepared ? new StatementNames() : undefined;
  return {
    inTransaction: (work) => repeatConflicts(() => transact(pool, names, work), CONFLICT_ATTEMPTS),
    async query<Row extends object>({ text, values }: Prisma.Sql) {
      try {
        const { rows } = await pool.query<Row>({ ...named(names, text), text, values });
        return rows;
      } catch (error) {
        throw translateError(error);
      }
    },
    close: () => pool.end(),
  };
}

function named(names: StatementNames | undefined, text: string): { name?: string } {
  return names === undefined ? {} : { name: names.of(text) };
}

async function transact<T>(
  pool: pg.Pool,
  names: StatementNames | undefined,
  work: (statements: Statements) => Promise<T>,
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
    // Whoever waits is told; those who gave up after an earlier failure need not be.
    answer.catch((error: unknown) => {
      firstFailure ??= error;
    });
    return answer;
  };
  const statement = ({ text, values }: Prisma.Sql) => ({ ...named(names, text), text, values });
  const command = (text: string) => send({ text }, (result) => result.command);
  let broken: Error | undefined;
  try {
    void command("BEGIN");
    const result = await work({
      query: (sql) => send(statement(sql), ({ rows }) => rows),
      execute: (sql) => send(statement(sql), ({ rowCount }) => rowCount ?? 0),
    });
    // What a failed statement leaves behind is rolled back by COMMIT, without an error.
    const ended = await command("COMMIT");
    if (ended === "COMMIT" && firstFailure === undefined) return result;
    throw firstFailure ?? new Error(`a transaction ended by ${ended} instead of COMMIT`);
  } catch (error) {
    broken = await command("ROLLBACK").then(
      () => undefined,
      (reason: Error) => reason,
    );
    // Work that waited for a later statement has only been told that the transaction is aborted.
    throw translateError(isAborted(error) ? (firstFailure ?? error) : error);
  } finally {
    client.release(broken);
  }
}

/** Whether a statement was not run because one before it had failed. */
function isAborted(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "25P02";
}
