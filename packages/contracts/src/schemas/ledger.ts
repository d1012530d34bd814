import Type, { type Static } from "typebox";
import { closed, count } from "./fields.ts";

/** Days of the ledger, counted back; also the maximum period between two days. */
export const LEDGER_DAYS = { minimum: 1, maximum: 366, default: 30 } as const;

const day = (description: string) =>
  Type.String({ format: "date", description: `${description} A UTC day, YYYY-MM-DD.` });
/** Up to three decimals: money is stored in thousandths of a cent. */
const exactCents = (description: string) =>
  Type.Number({ description: `${description} In cents, exact, with up to three decimals.` });

export const ledgerDaysSchema = Type.Integer({
  ...LEDGER_DAYS,
  description:
    "Number of days, counted back from `to`; ignored with `from`. Without `days`, `from` and `to` the ledger begins 30 days ago, or at registration if that is later.",
});
export const ledgerFromSchema = day("The first day.");
export const ledgerToSchema = day("The last day; today where it is left out or lies ahead.");

const ledgerDay = closed(
  {
    date: day("The day."),
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
