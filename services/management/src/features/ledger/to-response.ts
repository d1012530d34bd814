import type { LedgerBody } from "@diegetic/contracts";
import { chargedCents } from "@diegetic/money";
import type { CsvColumn } from "../../core/shared/csv.ts";
import { decimalCents } from "../../core/shared/decimal-cents.ts";
import type { LedgerRow, LedgerTotals } from "./balances.ts";

export function toLedgerResponse(rows: readonly LedgerRow[], totals: LedgerTotals): LedgerBody {
  return {
    days: rows.map((row) => ({
      date: row.day,
      opening_balance_cents: chargedCents(row.openingMillicents),
      deposits_cents: chargedCents(row.depositsMillicents),
      charges_cents: chargedCents(row.chargesMillicents),
      impressions: row.impressions,
      closing_balance_cents: chargedCents(row.closingMillicents),
    })),
    totals: {
      deposits_cents: chargedCents(totals.depositedMillicents),
      balance_cents: chargedCents(totals.balanceMillicents),
      held_cents: chargedCents(totals.heldMillicents),
      spent_cents: chargedCents(totals.spentMillicents),
      impressions: totals.impressions,
    },
  };
}

/** Amounts in cents with three decimals; current holds are in today's row. */
export function ledgerColumns({ heldMillicents }: LedgerTotals, today: string): CsvColumn<LedgerRow>[] {
  return [
    ["date", ({ day }) => day],
    ["opening_balance_cents", ({ openingMillicents }) => decimalCents(openingMillicents)],
    ["deposits_cents", ({ depositsMillicents }) => decimalCents(depositsMillicents)],
    ["charges_cents", ({ chargesMillicents }) => decimalCents(chargesMillicents)],
    ["impressions", ({ impressions }) => String(impressions)],
    ["closing_balance_cents", ({ closingMillicents }) => decimalCents(closingMillicents)],
    ["held_cents", ({ day }) => (day === today ? decimalCents(heldMillicents) : "")],
  ];
}
