import { ledgerApi } from "@diegetic/contracts";
import { type Database, utcDay } from "@diegetic/database";
import type { MoneyCommands } from "@diegetic/hot-state";
import { type Endpoint, endpoint, type RequestContext } from "@diegetic/service-kit";
import { callingAdvertiser } from "../../core/read-your-writes/caller.ts";
import type { CallerReads } from "../../core/read-your-writes/caller-reads.ts";
import type { Clock } from "../../core/shared/time.ts";
import { closeDays } from "./balances.ts";
import { readConsistently } from "./consistent-store.ts";
import { daysOf, effectivePeriod, type RequestedPeriod, readPeriod } from "./period.ts";
import { ledgerCsv, toLedgerResponse } from "./to-response.ts";

export interface LedgerParts {
  database: Database;
  wallets: Pick<MoneyCommands, "readAccount">;
  reads: CallerReads;
  clock: Clock;
}

export function ledgerEndpoints(parts: LedgerParts): Endpoint[] {
  return [endpoint(ledgerApi.operations.show, showLedger(parts))];
}

function showLedger(parts: LedgerParts): Endpoint["handle"] {
  return async (context) => {
    const nowMs = parts.clock();
    const requested = await periodOf(parts, context, nowMs);
    const { ledger, totals } = await readConsistently(parts, context.accountId, requested.from);
    const period = effectivePeriod(requested, ledger.firstDay, ledger.moves.keys());
    const balanceMillicents = ledger.depositedMillicents - ledger.spentMillicents;
    const rows = closeDays(daysOf(period), balanceMillicents, ledger.moves);
    const headers = { Vary: "Accept" };
    if (context.preferredMediaType(["application/json", "text/csv"]) === "application/json") {
      return { status: 200, body: toLedgerResponse(rows, totals), headers };
    }
    const fileName = `ledger-${period.from}-${period.to}.csv`;
    return {
      status: 200,
      text: { mediaType: "text/csv", content: ledgerCsv(rows, totals, utcDay(nowMs)) },
      headers: { ...headers, "Content-Disposition": `attachment; filename="${fileName}"` },
    };
  };
}

/** The requested days. Checks registration first (docs/behaviour.md#order-of-checks). */
async function periodOf(
  { database }: LedgerParts,
  context: RequestContext,
  nowMs: number,
): Promise<RequestedPeriod> {
  try {
    return readPeriod(context.query, nowMs);
  } catch (error) {
    await callingAdvertiser(database, context.accountId);
    throw error;
  }
}
