import type { Database } from "@diegetic/database";
import { isRedisUnavailable, type MoneyCommands, type Settlement } from "@diegetic/hot-state";
import { tryEachLimited } from "../loops/for-each.ts";
import type { BillingMeasures } from "../measures.ts";
import { closeSettlements, listSettlements } from "../write/settlements.ts";

export interface SettlerDependencies {
  database: Database;
  money: Pick<MoneyCommands, "settle">;
  measures: BillingMeasures;
}

const SETTLEMENTS_PER_PAGE = 200;
const PAGES_PER_PASS = 100;
export const MAX_CONCURRENT_CALLS = 16;

/**
 * Brings missing changes into restored wallets: charges that reached Postgres after the restore counted it, and charges
 * that Postgres refused. A frozen wallet is retried in the next pass. The next restore of a wallet counts from
 * Postgres, and marks in the wallet what it has counted.
 */
export class Settler {
  readonly #dependencies: SettlerDependencies;
  /** Where the next pass begins: after the last page of the former one, if that did not reach the end. */
  #after = "";

  constructor(dependencies: SettlerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Settles everything that is possible now. A failure does not block the rest; the first failure is thrown at the end. */
  async pass(signal: AbortSignal): Promise<void> {
    const { database, measures } = this.#dependencies;
    let after = this.#after;
    let pending = 0;
    const failures: unknown[] = [];
    const unavailable = new Set<string>();
    for (let page = 0; page < PAGES_PER_PASS && !signal.aborted; page++) {
      const settlements = await listSettlements(database, after, SETTLEMENTS_PER_PAGE);
      const last = settlements.at(-1);
      if (last === undefined) {
        after = "";
        break;
      }
      const { done, failed } = await this.#settle(settlements, unavailable);
      pending += settlements.length - done;
      failures.push(...failed.slice(0, 1));
      // Also after a page that failed as a whole: it may be of one advertiser, or of one node.
      after = last.impressionId;
    }
    this.#after = after;
    measures.pendingSettlements.set(pending);
    if (failures.length > 0) throw failures[0];
  }

  /** @param unavailable wallets that wait for the next pass: each of their calls could take its whole time limit */
  async #settle(
    settlements: readonly Settlement[],
    unavailable: Set<string>,
  ): Promise<{ done: number; failed: unknown[] }> {
    const { database, money } = this.#dependencies;
    const done = { settled: [] as Settlement[], known: [] as Settlement[] };
    const failed = await tryEachLimited(settlements, MAX_CONCURRENT_CALLS, async (settlement) => {
      const { walletId } = settlement;
      if (unavailable.has(walletId)) return;
      const result = await money.settle(settlement).catch((error: unknown) => {
        if (isRedisUnavailable(error)) unavailable.add(walletId);
        throw error;
      });
      if (result === "settled" || result === "known") done[result].push(settlement);
    });
    await closeSettlements(database, done);
    return { done: done.settled.length + done.known.length, failed };
  }
}
