import { ledgerApi } from "@diegetic/contracts";
import { utcDay } from "@diegetic/database";
import type { RequestContext } from "@diegetic/service-kit";
import { callingAdvertiser } from "../../core/read-your-writes/caller.ts";
import { endpointsOf } from "../endpoints-of.ts";
import type { Parts } from "../parts.ts";
import { closeDays } from "./balances.ts";
import { readConsistently } from "./consistent-store.ts";
import { daysOf, effectivePeriod, type RequestedPeriod, readPeriod } from "./period.ts";
import { ledgerCsv, toLedgerResponse } from "./to-response.ts";

export const ledgerEndpoints = endpointsOf(ledgerApi.operations, { show });

async function show(parts: Parts, context: RequestContext) {
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
}

/** The requested days. Checks registration first (docs/behaviour.md#order-of-checks). */
async function periodOf(
  { database }: Parts,
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
