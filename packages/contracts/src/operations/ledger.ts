import { ledgerDaysSchema, ledgerFromSchema, ledgerSchema, ledgerToSchema } from "../schemas/ledger.ts";
import { registerFirst } from "./common-refusals.ts";
import { defineFeature, refusal } from "./operation.ts";

const csv = `date,opening_balance_cents,deposits_cents,charges_cents,impressions,closing_balance_cents,held_cents
2026-11-30,0.000,250000.000,0.000,0,250000.000,
2026-12-01,250000.000,0.000,3.600,3,249996.400,1.200
`;

export const ledgerApi = defineFeature({
  tag: "Ledger",
  description: "The advertiser's ledger, day by day, to the thousandth of a cent.",
  schemas: { Ledger: ledgerSchema },
  operations: {
    show: {
      operationId: "getLedger",
      method: "GET",
      path: "/ledger",
      group: "analytics",
      scope: "advertiser",
      addition: true,
      summary: "Read the ledger by day",
      description:
        "Deposits and charges of each day with its opening and closing balance, and the totals: deposits = balance + held + spent, always. Send `Accept: text/csv` for a table; the row of today then also shows what is held now. Every impression that was answered 201 is in every later answer.",
      query: [
        { name: "days", schema: ledgerDaysSchema, example: 2 },
        { name: "from", schema: ledgerFromSchema, example: "2026-11-30" },
        { name: "to", schema: ledgerToSchema, example: "2026-12-01" },
      ],
      success: [
        {
          status: 200,
          description: "The ledger.",
          schema: ledgerSchema,
          example: {
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
          csv,
        },
      ],
      refusals: [
        refusal(
          400,
          "malformed_parameter",
          "A parameter is no number or no day.",
          'from must be a day as YYYY-MM-DD, but "yesterday" was sent',
        ),
        registerFirst,
        refusal(
          422,
          "period",
          "The period is too long, or ends before it begins.",
          "from must be at most 366 days before to, that day included",
        ),
      ],
    },
  },
});
