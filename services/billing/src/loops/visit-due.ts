import type { DueIndex } from "@diegetic/hot-state";
import { tryEachLimited } from "./for-each.ts";

export interface DueVisits {
  due: Pick<DueIndex, "due" | "reschedule">;
  kind: "holds" | "outbox";
  nowMs: () => number;
  /** At most this many of those that are due at once. */
  maxConcurrent: number;
  /** Pause before a wallet whose visit failed is visited again. */
  pauseAfterFailureMs: number;
}

const WALLETS_PER_PASS = 200;

/**
 * Visits the wallets that are due, longest overdue first. One whose visit fails waits for a pause, so that later
 * wallets are still visited. Returns the failures.
 * @param visit returns when to visit it again (Unix ms); null: nothing is left
 */
export async function visitDue(
  { due, kind, nowMs, maxConcurrent, pauseAfterFailureMs }: DueVisits,
  signal: AbortSignal,
  visit: (walletId: string) => Promise<number | null>,
): Promise<unknown[]> {
  const wallets = await due.due(kind, nowMs(), WALLETS_PER_PASS);
  return tryEachLimited(wallets, maxConcurrent, async ({ walletId, dueMs }) => {
    if (signal.aborted) return;
    let nextDueMs: number | null;
    try {
      nextDueMs = await visit(walletId);
    } catch (error) {
      // Otherwise it stays due.
      await due.reschedule(kind, walletId, dueMs, nowMs() + pauseAfterFailureMs).catch(() => undefined);
      throw error;
    }
    await due.reschedule(kind, walletId, dueMs, nextDueMs);
  });
}
