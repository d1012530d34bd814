import {
  differenceSchema,
  processSchema,
  quarantinedRecordSchema,
  quarantineSchema,
  reconciliationSchema,
  resolutionSchema,
  storeSchema,
  systemAccountListSchema,
  systemAccountSchema,
  systemSchema,
} from "../schemas/system.ts";
import { malformedField, missingField, notAllowedField } from "./common-refusals.ts";
import { exampleIds } from "./example-ids.ts";
import { defineFeature, refusal } from "./operation.ts";

const notOperator = refusal(
  403,
  "not_operator",
  "The user does not run the installation.",
  "Only the operator of this installation can do this.",
);
const operator = {
  group: "management",
  scope: [],
  caller: "session",
  role: "viewer",
  addition: true,
} as const;
const record = {
  impression_id: exampleIds.impression,
  advertiser_id: exampleIds.advertiser,
  reason: "the campaign is not in the database",
  record: `{"impression_id":"${exampleIds.impression}"}`,
  quarantined_at: exampleIds.moment,
  resolved_at: null,
  resolution: null,
};

export const systemApi = defineFeature({
  tag: "System",
  description: "The state of the installation, for the user who runs it.",
  schemas: {
    System: systemSchema,
    Store: storeSchema,
    Process: processSchema,
    Reconciliation: reconciliationSchema,
    Difference: differenceSchema,
    QuarantinedRecord: quarantinedRecordSchema,
    Resolution: resolutionSchema,
    SystemAccount: systemAccountSchema,
  },
  operations: {
    show: {
      ...operator,
      operationId: "getSystem",
      method: "GET",
      path: "/system",
      summary: "Read the state of the installation",
      description:
        "Stores, processes, throughput, held money, what waits, and where the stores disagree, read in bounded time.",
      success: [
        {
          status: 200,
          description: "The state.",
          schema: systemSchema,
          example: {
            read_at: exampleIds.moment,
            stores: [{ name: "postgres", ready: true }],
            processes: [
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
            impressions_today: 48_210,
            impressions_yesterday: 51_877,
            spent_today_millicents: 57_852_000,
            advertisers_looked_at: 9,
            held_millicents: 96_000,
            impressions_waiting: 4,
            oldest_waiting_seconds: 1,
            unpublished_changes: 0,
            quarantined_records: 1,
          },
        },
      ],
      refusals: [notOperator],
    },
    listQuarantine: {
      ...operator,
      operationId: "listQuarantine",
      method: "GET",
      path: "/system/quarantine",
      summary: "List quarantined records",
      description:
        "Impression records that could not be written. Reconciliation reports each as a difference until it is resolved.",
      success: [{ status: 200, description: "The records.", schema: quarantineSchema, example: [record] }],
      refusals: [notOperator],
    },
    resolve: {
      ...operator,
      operationId: "resolveQuarantined",
      method: "POST",
      path: "/system/quarantine/{impression_id}/resolve",
      summary: "Resolve a quarantined record",
      description:
        "Records the decision. The record is never written: charge or pay outside the service if necessary. A resolved record cannot be changed.",
      request: { schema: resolutionSchema, example: { resolution: "Not charged; the studio was informed." } },
      success: [
        {
          status: 200,
          description: "The resolved record.",
          schema: quarantinedRecordSchema,
          example: {
            ...record,
            resolved_at: exampleIds.moment,
            resolution: "Not charged; the studio was informed.",
          },
        },
      ],
      refusals: [
        missingField("resolution is required: it must be text of at most 2000 characters that is not blank"),
        malformedField(
          "resolution must be text of at most 2000 characters that is not blank, but 7 was sent",
        ),
        notOperator,
        refusal(
          404,
          "no_record",
          "Record not found.",
          "Quarantined record not found. GET /system/quarantine lists them.",
        ),
        refusal(
          409,
          "already_resolved",
          "The record is already resolved.",
          "The record is resolved already: reload the list.",
        ),
        notAllowedField(
          "resolution must be text of at most 2000 characters that is not blank, but a text of 2400 characters was sent",
        ),
      ],
    },
    listAccounts: {
      ...operator,
      operationId: "listAccounts",
      method: "GET",
      path: "/system/accounts",
      summary: "List the accounts",
      description: "In the order of their creation; at most 500 a page.",
      paged: true,
      success: [
        {
          status: 200,
          description: "The accounts.",
          schema: systemAccountListSchema,
          example: [
            {
              id: exampleIds.account,
              label: "Emberroast Coffee",
              created_at: exampleIds.moment,
              advertiser: "Emberroast Coffee",
              balance_cents: 250_000,
              games: 2,
              members: 3,
            },
          ],
        },
      ],
      refusals: [notOperator],
    },
  },
});
