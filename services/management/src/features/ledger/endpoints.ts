import { ledgerApi } from "@diegetic/contracts";
import { utcDay } from "@diegetic/database";
import type { RequestContext } from "@diegetic/service-kit";
import { callingAdvertiser, readAfter } from "../../core/read-your-writes/caller.ts";
import { csvAnswer, prefersCsv } from "../../core/shared/csv.ts";
import { daysOf, effectivePeriod, readPeriod } from "../../core/shared/period.ts";
import { endpointsOf } from "../endpoints-of.ts";
import type { Parts } from "../parts.ts";
import { closeDays } from "./balances.ts";
import { readConsistently } from "./read-consistently.ts";
import { ledgerColumns, toLedgerResponse } from "./to-response.ts";

export const ledgerEndpoints = endpointsOf(ledgerApi.operations, { show });

async function show(parts: Parts, context: RequestContext) {
  const nowMs = parts.clock();
  const requested = await readAfter(
    () => callingAdvertiser(parts.database, context.accountId),
    () => readPeriod(context.query, nowMs),
  );
  const { ledger, totals } = await readConsistently(parts, context.accountId, requested.from);
  const period = effectivePeriod(requested, ledger.firstDay, ledger.moves.keys());
  const balanceMillicents = ledger.depositedMillicents - ledger.spentMillicents;
  const rows = closeDays(daysOf(period), balanceMillicents, ledger.moves);
  if (!prefersCsv(context)) {
    return { status: 200, body: toLedgerResponse(rows, totals), headers: { Vary: "Accept" } };
  }
  const fileName = `ledger-${period.from}-${period.to}.csv`;
  return csvAnswer(fileName, ledgerColumns(totals, utcDay(nowMs)), rows);
}
