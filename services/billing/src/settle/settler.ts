import type { Database } from "@diegetic/database";
import type { MoneyCommands, Settlement } from "@diegetic/hot-state";
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
const CALLS_AT_A_TIME = 16;

/**
 * Brings into restored wallets what they do not know: charges that reached Postgres after the wallet had been counted, and
 * charges that Postgres could not take. What a wallet cannot take now (frozen, or being restored) stays for the next pass; the
 * next restoring of a wallet counts from Postgres, and takes what is noted for it away in the same transaction.
 */
export class Settler {
  readonly #dependencies: SettlerDependencies;

  constructor(dependencies: SettlerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Settles whatever can be settled now. What fails keeps nothing else from it: the first failure is thrown at the end. */
  async pass(signal: AbortSignal): Promise<void> {
    const { database, measures } = this.#dependencies;
    let after = "";
    let pending = 0;
    const failures: unknown[] = [];
    for (let page = 0; page < PAGES_PER_PASS && !signal.aborted; page++) {
      const settlements = await listSettlements(database, after, SETTLEMENTS_PER_PAGE);
      const last = settlements.at(-1);
      if (last === undefined) break;
      const { done, failed } = await this.#settle(settlements);
      pending += settlements.length - done;
      failures.push(...failed.slice(0, 1));
      // A store is unavailable: it will not be better for the next ones.
      if (failed.length === settlements.length) break;
      after = last.impressionId;
    }
    measures.pendingSettlements.set(pending);
    if (failures.length > 0) throw failures[0];
  }

  async #settle(settlements: readonly Settlement[]): Promise<{ done: number; failed: unknown[] }> {
    const { database, money } = this.#dependencies;
    const done = { settled: [] as Settlement[], known: [] as Settlement[] };
    const failed = await tryEachLimited(settlements, CALLS_AT_A_TIME, async (settlement) => {
      const result = await money.settle(settlement);
      if (result === "settled" || result === "known") done[result].push(settlement);
    });
    await closeSettlements(database, done);
    return { done: done.settled.length + done.known.length, failed };
  }
}
