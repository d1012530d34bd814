import type { Static } from "typebox";
import { periodRefusals, registerFirst } from "../definition/common-errors.ts";
import { closed, count, periodQuery, utcDate } from "../definition/fields.ts";
import { defineFeature, ok, operation } from "../definition/operation.ts";
import Type from "../definition/type.ts";

/** Days of the ledger, counted back; also the maximum period between two days. */
export const LEDGER_DAYS = { minimum: 1, maximum: 366, default: 30 } as const;

/** Up to three decimals: money is stored in thousandths of a cent. */
const exactCents = (description: string) =>
  Type.Number({ description: `${description} In cents, exact, with up to three decimals.` });

const ledgerDay = closed(
  {
    date: utcDate("The day."),
    opening_balance_cents: exactCents("Balance before the day."),
    deposits_cents: exactCents("What was deposited on the day."),
    charges_cents: exactCents("What the impressions of the day cost."),
    impressions: count("Impressions of the day."),
    closing_balance_cents: exactCents("Opening balance and deposits less charges."),
  },
  "One day of the ledger.",
);

const ledgerTotals = closed(
  {
    deposits_cents: exactCents("Everything that was ever deposited: the sum of the next three."),
    balance_cents: exactCents("What is free for new matches."),
    held_cents: exactCents(
      "Money held for unseen matches, and for impressions that are not in the ledger yet.",
    ),
    spent_cents: exactCents("What all impressions have cost: the sum over the campaigns."),
    impressions: count("All impressions."),
  },
  "Current totals over all time.",
);

export const ledgerSchema = closed(
  {
    days: Type.Array(ledgerDay, {
      description: "One row per day, from the oldest to the newest, days on which nothing happened included.",
    }),
    totals: ledgerTotals,
  },
  "The ledger of an advertiser.",
);
export type LedgerBody = Static<typeof ledgerSchema>;

const csv = `date,opening_balance_cents,deposits_cents,charges_cents,impressions,closing_balance_cents,held_cents
2026-11-30,0.000,250000.000,0.000,0,250000.000,
2026-12-01,250000.000,0.000,3.600,3,249996.400,1.200
`;

export const ledgerApi = defineFeature({
  tag: "Ledger",
  description: "The advertiser's ledger, day by day, to the thousandth of a cent.",
  schemas: { Ledger: ledgerSchema },
  operations: {
    show: operation("GET /ledger", {
      operationId: "getLedger",
      group: "management",
      scope: "advertiser",
      addition: true,
      summary: "Read the ledger by day",
      description:
        "Deposits and charges of each day with its opening and closing balance, and the totals: deposits = balance + held + spent, always. Send `Accept: text/csv` for a table; the row of today then also shows what is held now. Every impression that was answered 201 is in every later answer.",
      query: periodQuery(
        LEDGER_DAYS,
        { days: 2, from: "2026-11-30", to: "2026-12-01" },
        "Without `days`, `from` and `to` the ledger begins 30 days ago, or at registration if that is later.",
      ),
      success: [
        ok(
          "The ledger.",
          ledgerSchema,
          {
            days: [
              {
                date: "2026-11-30",
                opening_balance_cents: 0,
                deposits_cents: 250_000,
                charges_cents: 0,
                impressions: 0,
                closing_balance_cents: 250_000,
              },
              {
                date: "2026-12-01",
                opening_balance_cents: 250_000,
                deposits_cents: 0,
                charges_cents: 3.6,
                impressions: 3,
                closing_balance_cents: 249_996.4,
              },
            ],
            totals: {
              deposits_cents: 250_000,
              balance_cents: 249_995.2,
              held_cents: 1.2,
              spent_cents: 3.6,
              impressions: 3,
            },
          },
          { csv },
        ),
      ],
      refusals: [...periodRefusals(LEDGER_DAYS.maximum), registerFirst],
    }),
  },
});
