import { setTimeout as sleep } from "node:timers/promises";
import { PrismaPg } from "@prisma/adapter-pg";
import { DriverAdapterError } from "@prisma/driver-adapter-utils";
import pg from "pg";

/** While a statement waits for a table, all later ones on the table wait behind it. */
const LOCK_TIMEOUT_MS = 3_000;
/** Lets the statements proceed that waited behind an attempt. */
const PAUSE_MS = 1_000;
/** Longer than most dumps: a script that gives up is for the next start to repeat. */
const MAX_WAIT_MS = 6 * 60 * 60 * 1_000;
/** Lock timeout, deadlock. */
const RETRIED_SQL_STATES: ReadonlySet<unknown> = new Set(["55P03", "40P01"]);

/**
 * Prisma's adapter splits a script at every semicolon, even inside function bodies and comments. This one sends the whole
 * script, which also makes a migration atomic: Postgres runs it as one transaction. The adapter repeats it while other
 * sessions lock its tables.
 *
 * An atomic migration also marks itself as finished, first and in its own transaction: whoever wants to know whether one took
 * effect that was interrupted has to wait until Postgres has ended it.
 */
export class MigrationAdapterFactory extends PrismaPg {
  readonly #names: ReadonlyMap<string, string>;
  readonly #onWaiting: () => void;

  /**
   * @param names of the migrations, by script
   * @param onWaiting called when a script waits for others' locks, once for each script
   */
  constructor(
    pool: pg.Pool,
    names: ReadonlyMap<string, string> = new Map(),
    onWaiting: () => void = () => {},
  ) {
    super(pool);
    this.#names = names;
    this.#onWaiting = onWaiting;
  }

  override async connect(): ReturnType<PrismaPg["connect"]> {
    const adapter = await super.connect();
    adapter.executeScript = async (script) => {
      try {
        const name = this.#names.get(script);
        await runScript(adapter.underlyingDriver(), { script, name }, this.#onWaiting);
      } catch (error) {
        throw toDriverError(error);
      }
    };
    return adapter;
  }
}

/** @param migration without a name, if the script is not a migration's */
async function runScript(
  pool: pg.Pool,
  { script, name }: { script: string; name: string | undefined },
  onWaiting: () => void,
): Promise<void> {
  // CREATE INDEX CONCURRENTLY cannot run in a transaction, blocks nobody, and leaves an invalid index at a timeout.
  if (/\bCONCURRENTLY\b/i.test(script)) {
    await pool.query(script);
    return;
  }
  const finish = name === undefined ? "" : finishStatement(name);
  const deadlineMs = performance.now() + MAX_WAIT_MS;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await pool.query(`SET LOCAL lock_timeout TO ${LOCK_TIMEOUT_MS};\n${finish}${script}`);
      return;
    } catch (error) {
      const isRetried = error instanceof pg.DatabaseError && RETRIED_SQL_STATES.has(error.code);
      if (!isRetried || performance.now() > deadlineMs) throw error;
      if (attempt === 1) onWaiting();
      await sleep(PAUSE_MS);
    }
  }
}

function finishStatement(name: string): string {
  return `UPDATE _prisma_migrations SET finished_at = now(), applied_steps_count = 1
    WHERE migration_name = ${pg.escapeLiteral(name)} AND finished_at IS NULL AND rolled_back_at IS NULL;\n`;
}

function toDriverError(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  return new DriverAdapterError({
    kind: "postgres",
    code: error.code ?? "N/A",
    severity: error.severity ?? "ERROR",
    message: error.message,
    detail: error.detail,
    column: error.column,
    hint: error.hint,
  });
}
