import type { Static } from "typebox";
import { accountRef } from "../definition/account.ts";
import { malformedField, missingField, notAllowedField } from "../definition/common-errors.ts";
import { exampleIds } from "../definition/example-ids.ts";
import { answerText, closed, count, longText, nullable, open, timestamp } from "../definition/fields.ts";
import { defineFeature, ok, operation, refusal } from "../definition/operation.ts";
import Type from "../definition/type.ts";
import { validatorWithoutNulls } from "../validation/validator.ts";
import { signedIn } from "./sessions/shared.ts";

const storeSchema = closed(
  {
    name: answerText("What was asked: a store, or what has to be in it."),
    ready: Type.Boolean({ description: "Whether it answers as it should." }),
  },
  "A store as management sees it at this moment.",
);

const processSchema = closed(
  {
    service: answerText("management, match or billing."),
    instance: answerText("The name of the instance (INSTANCE_NAME)."),
    ready: Type.Boolean({
      description: "Whether it reported within the last ten seconds that all its checks pass.",
    }),
    failing: Type.Array(answerText("The name of a check."), {
      description: "The checks that failed in its last report.",
    }),
    reported_at: timestamp("When it reported last."),
  },
  "A process of the installation.",
);

const differenceSchema = closed(
  {
    check: answerText("The name of the check, as in the metrics."),
    what: answerText("What was compared."),
    kind: Type.Enum(["money", "late"], {
      description:
        "late: work that is overdue and may still be done. money: values that must never disagree.",
    }),
    subject: answerText("Whose values: an identifier, with a word where it has several."),
    expected: answerText("What the one store says."),
    found: answerText("What the other says."),
  },
  "Two values that should agree and do not.",
);

const reconciliationSchema = closed(
  {
    finished_at: nullable(
      timestamp("When everything was compared last; null: not once since billing started."),
    ),
    differences: nullable(count("Differences that are open; null: Redis, which knows, is unavailable.")),
    listed: Type.Array(differenceSchema, { description: "The first 50 of them." }),
  },
  "What the comparison of all stores found. Billing repeats it all the time.",
);

const dividedWalletSchema = closed(
  {
    advertiser_id: answerText("The advertiser's identifier, adv_…."),
    company_name: answerText("The advertiser's company."),
    slices: count("Into how many slices the wallet is divided, 2 to 64."),
    in_force: Type.Boolean({
      description:
        "Whether the match tier was given all slices: each match instance then uses them within two seconds, or answers 503. false: a change of the advertiser is still being published.",
    }),
  },
  "An advertiser whose wallet is divided into slices.",
);

const dividedWalletsSchema = closed(
  {
    count: count("Advertisers whose wallet is divided into slices."),
    listed: Type.Array(dividedWalletSchema, { description: "The first 100 of them, by identifier." }),
  },
  "Which advertisers' wallets are divided among hash slots.",
);

const systemSchema = closed(
  {
    read_at: timestamp("When this was read."),
    stores: Type.Array(storeSchema, { description: "Postgres, Redis, and what has to be in them." }),
    processes: Type.Array(processSchema, {
      description:
        "The management process that answers, then the others. One that ended as it should is not listed; one that crashed is listed for an hour.",
    }),
    reconciliation: reconciliationSchema,
    accounts: count("Accounts."),
    users: count("Users who can sign in."),
    advertisers: count("Advertiser profiles."),
    active_campaigns: count("Campaigns that are active."),
    matches_last_5_minutes: nullable(
      count(
        "Scenes that got an ad in the last five minutes, as the match processes that report counted them.",
      ),
    ),
    impressions_last_5_minutes: nullable(count("Impressions that they accepted in the same time.")),
    impressions_today: count("Impressions written today, UTC."),
    impressions_yesterday: count("Impressions written yesterday, UTC."),
    spent_today_millicents: count("What they charged today, in thousandths of cents."),
    advertisers_looked_at: nullable(
      count(
        "Advertisers whose money in Redis was read for the next three figures: the newest ones, at most 500.",
      ),
    ),
    held_millicents: nullable(count("What their open matches hold, in thousandths of cents.")),
    impressions_waiting: nullable(
      count("Their impressions that are committed and not yet written to Postgres."),
    ),
    oldest_waiting_seconds: nullable(
      count(
        "How long at least the oldest of them has waited, in seconds: of each advertiser some are read, about 2000 in all; null: none waits.",
      ),
    ),
    unpublished_changes: count(
      "Changes that are stored, and not yet known to be in force in the match tier.",
    ),
    quarantined_records: count("Impression records that could not be written and wait for a decision."),
    divided_wallets: dividedWalletsSchema,
  },
  "The state of the installation at one moment. While Redis is unavailable, what is read from it is null, and of the processes only the one that answers is listed.",
);
export type SystemBody = Static<typeof systemSchema>;

const quarantinedRecordSchema = closed(
  {
    impression_id: answerText("The impression's identifier, imp_…."),
    advertiser_id: answerText("The advertiser's identifier, adv_…."),
    reason: answerText("Why the record could not be written."),
    record: answerText("The record as it was found."),
    quarantined_at: timestamp("When it was found."),
    resolved_at: nullable(timestamp("When somebody decided about it; null: nobody has.")),
    resolution: nullable(answerText("What was decided.")),
  },
  "A quarantined impression record: it could not be written.",
);
export type QuarantinedRecordBody = Static<typeof quarantinedRecordSchema>;

const quarantineSchema = Type.Array(quarantinedRecordSchema, {
  description: "The records that wait for a decision, newest first; at most 100.",
});

const resolutionSchema = open(
  { resolution: longText("What was decided about the charge, and who was informed.") },
  "A decision about a quarantined record.",
);
/** The body of POST /system/quarantine/{impression_id}/resolve. */
export const resolutionBody = validatorWithoutNulls(resolutionSchema);

const systemAccountSchema = closed(
  {
    ...accountRef,
    created_at: timestamp("When the account was made."),
    advertiser: nullable(answerText("The company of its advertiser profile; null: it has none.")),
    balance_cents: nullable(count("The advertiser's balance in cents; null: there is no profile.")),
    games: count("Its games."),
    members: count("Its members."),
  },
  "An account as the operator sees it.",
);
export type SystemAccountBody = Static<typeof systemAccountSchema>;

const systemAccountListSchema = Type.Array(systemAccountSchema, {
  description: "The accounts of the installation in the order of their creation.",
});

const resolutionForm = "text of at most 2000 characters that is not blank";
export const notOperator = refusal(
  403,
  "not_operator",
  "The user does not run the installation.",
  "Only the operator of this installation can do this.",
);
const record = {
  impression_id: exampleIds.impression,
  advertiser_id: exampleIds.advertiser,
  reason: "the campaign is not in the database",
  record: `{"impression_id":"${exampleIds.impression}"}`,
  quarantined_at: exampleIds.moment,
  resolved_at: null,
  resolution: null,
};

export const noQuarantinedRecord = refusal(
  404,
  "no_record",
  "Record not found.",
  "Quarantined record not found. GET /system/quarantine lists them.",
);
export const alreadyResolved = refusal(
  409,
  "already_resolved",
  "The record is already resolved.",
  "The record is resolved already: reload the list.",
);
export const systemApi = defineFeature({
  tag: "System",
  description: "The state of the installation, for the user who runs it.",
  schemas: {
    System: systemSchema,
    Store: storeSchema,
    Process: processSchema,
    Reconciliation: reconciliationSchema,
    Difference: differenceSchema,
    DividedWallets: dividedWalletsSchema,
    DividedWallet: dividedWalletSchema,
    QuarantinedRecord: quarantinedRecordSchema,
    Resolution: resolutionSchema,
    SystemAccount: systemAccountSchema,
  },
  operations: {
    show: operation("GET /system", {
      ...signedIn,
      operationId: "getSystem",
      answersWithoutLimits: true,
      summary: "Read the state of the installation",
      description:
        "Stores, processes, throughput, held money, what waits, where the stores disagree, and divided wallets, read in bounded time.",
      success: [
        ok("The state.", systemSchema, {
          read_at: exampleIds.moment,
          stores: [{ name: "postgres", ready: true }],
          processes: [
            {
              service: "management",
              instance: "management",
              ready: true,
              failing: [],
              reported_at: exampleIds.moment,
            },
            {
              service: "billing",
              instance: "billing-1",
              ready: true,
              failing: [],
              reported_at: exampleIds.moment,
            },
          ],
          reconciliation: {
            finished_at: exampleIds.moment,
            differences: 1,
            listed: [
              {
                check: "outbox_age",
                what: "Records that wait in the outbox for more than two minutes",
                kind: "late",
                subject: exampleIds.advertiser,
                expected: "0",
                found: "3",
              },
            ],
          },
          accounts: 12,
          users: 15,
          advertisers: 9,
          active_campaigns: 31,
          matches_last_5_minutes: 412,
          impressions_last_5_minutes: 355,
          impressions_today: 48_210,
          impressions_yesterday: 51_877,
          spent_today_millicents: 57_852_000,
          advertisers_looked_at: 9,
          held_millicents: 96_000,
          impressions_waiting: 4,
          oldest_waiting_seconds: 1,
          unpublished_changes: 0,
          quarantined_records: 1,
          divided_wallets: {
            count: 1,
            listed: [
              {
                advertiser_id: exampleIds.advertiser,
                company_name: "Emberroast Coffee",
                slices: 24,
                in_force: true,
              },
            ],
          },
        }),
      ],
      refusals: [notOperator],
    }),
    listQuarantine: operation("GET /system/quarantine", {
      ...signedIn,
      operationId: "listQuarantine",
      summary: "List quarantined records",
      description:
        "Impression records that could not be written, newest first; at most 100 a page without a limit. Reconciliation reports each as a difference until it is resolved.",
      paged: true,
      success: [ok("The records.", quarantineSchema, [record])],
      refusals: [notOperator],
    }),
    resolve: operation("POST /system/quarantine/{impression_id}/resolve", {
      ...signedIn,
      operationId: "resolveQuarantined",
      summary: "Resolve a quarantined record",
      description:
        "Records the decision. The record is never written: charge or pay outside the service if necessary. A resolved record cannot be changed.",
      request: { schema: resolutionSchema, example: { resolution: "Not charged; the studio was informed." } },
      success: [
        ok("The resolved record.", quarantinedRecordSchema, {
          ...record,
          resolved_at: exampleIds.moment,
          resolution: "Not charged; the studio was informed.",
        }),
      ],
      refusals: [
        missingField(`resolution is required: it must be ${resolutionForm}`),
        malformedField(`resolution must be ${resolutionForm}, but 7 was sent`),
        notOperator,
        noQuarantinedRecord,
        alreadyResolved,
        notAllowedField(`resolution must be ${resolutionForm}, but a text of 2400 characters was sent`),
      ],
    }),
    listAccounts: operation("GET /system/accounts", {
      ...signedIn,
      operationId: "listAccounts",
      summary: "List the accounts",
      description: "In the order of their creation; at most 500 a page.",
      paged: true,
      success: [
        ok("The accounts.", systemAccountListSchema, [
          {
            id: exampleIds.account,
            label: "Emberroast Coffee",
            created_at: exampleIds.moment,
            advertiser: "Emberroast Coffee",
            balance_cents: 250_000,
            games: 2,
            members: 3,
          },
        ]),
      ],
      refusals: [notOperator],
    }),
  },
});
