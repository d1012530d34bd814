import type { LedgerBody } from "@diegetic/contracts";
import { chargedCents } from "@diegetic/money";
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

export const LEDGER_COLUMNS = [
  "date",
  "opening_balance_cents",
  "deposits_cents",
  "charges_cents",
  "impressions",
  "closing_balance_cents",
  "held_cents",
];

/** Values of `LEDGER_COLUMNS`; current holds are in today's row. */
export function ledgerRows(rows: readonly LedgerRow[], totals: LedgerTotals, today: string): string[][] {
  return rows.map((row) => [
    row.day,
    decimalCents(row.openingMillicents),
    decimalCents(row.depositsMillicents),
    decimalCents(row.chargesMillicents),
    String(row.impressions),
    decimalCents(row.closingMillicents),
    row.day === today ? decimalCents(totals.heldMillicents) : "",
  ]);
}
