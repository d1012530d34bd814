import type { MoneyCommands } from "@diegetic/hot-state";
import { unavailable } from "@diegetic/service-kit";
import type { CallerReads } from "../../core/read-your-writes/caller-reads.ts";
import { type LedgerTotals, totalsOf } from "./balances.ts";
import { type AccountLedger, readAccountLedger } from "./store.ts";

const MAX_ATTEMPTS = 3;

interface LedgerStores {
  wallets: Pick<MoneyCommands, "readAccount">;
  reads: CallerReads;
}

/** Reads Postgres, then the wallet. Reads again after a deposit in between, because holds may already use it. */
export async function readConsistently(
  { reads, wallets }: LedgerStores,
  accountId: string,
  firstDay: string,
): Promise<{ ledger: AccountLedger; totals: LedgerTotals }> {
  for (let attempt = 1; ; attempt++) {
    const ledger = await readAccountLedger(reads, accountId, firstDay);
    const wallet = await wallets.readAccount(ledger.advertiserId);
    if (wallet === null) throw unavailable("What is held is not known for the moment: try again.", 2);
    const isSameMoney = wallet.depositedMillicents <= ledger.depositedMillicents;
    if (isSameMoney || attempt >= MAX_ATTEMPTS) return { ledger, totals: totalsOf(ledger, wallet) };
  }
}
