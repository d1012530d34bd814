import { setTimeout as sleep } from "node:timers/promises";
import type { Prisma } from "@diegetic/database";
import { eventually } from "@diegetic/testing/eventually";
import type { Harness } from "./harness.ts";

/** A test that failed meanwhile can end. */
const MAX_HOLD_MS = 60_000;

/** Runs a statement in a transaction, and returns what commits it and so releases its locks. */
export async function holdLock({ pipeline }: Harness, statement: Prisma.Sql): Promise<() => Promise<void>> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let transaction = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    transaction = pipeline.inTransaction(async (statements) => {
      await statements.query(statement);
      resolve();
      await Promise.race([released, sleep(MAX_HOLD_MS, undefined, { ref: false })]);
    });
    transaction.catch(reject);
  });
  return () => {
    release();
    return transaction;
  };
}

/** The server process that waits for a lock in a statement with this text, as soon as there is one. */
export async function waitingForLock({ management }: Harness, text: string): Promise<number> {
  const [found] = await eventually(async () => {
    const rows = await management.database.$queryRaw<{ pid: number }[]>`
      SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
        AND position(${text} IN query) > 0`;
    return rows.length > 0 && rows;
  });
  return found?.pid ?? 0;
}
