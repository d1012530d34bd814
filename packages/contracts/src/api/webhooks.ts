import type { Static } from "typebox";
import {
  belongsToAnother,
  malformedField,
  missingField,
  notAllowedField,
  notShownAgain,
  responseOnlyField,
  thingNotFound,
  tooMany,
} from "../definition/common-errors.ts";
import type { Scope } from "../definition/enumerations.ts";
import { exampleIds } from "../definition/example-ids.ts";
import {
  answerText,
  closed,
  count,
  MAX_AMOUNT_CENTS,
  MAX_TEXT_CHARACTERS,
  microcents,
  millicents,
  nameText,
  nullable,
  oneOf,
  open,
  optional,
  timestamp,
  utcDate,
} from "../definition/fields.ts";
import { created, defineFeature, noContent, ok, operation, refusal } from "../definition/operation.ts";
import Type from "../definition/type.ts";
import { patchReader, patchSchemaOf } from "../validation/response-only.ts";
import { validatorWithoutNulls, type WithoutNulls } from "../validation/validator.ts";

/** Events that a webhook can subscribe to, and the scope that a key needs for each. */
export const WEBHOOK_EVENT_SCOPES = {
  "campaign.exhausted": "advertiser",
  "campaign.ended": "advertiser",
  "balance.low": "advertiser",
  "holds.expiry_rate_high": "developer",
  "payout.figures_ready": "developer",
} as const satisfies Record<string, Scope>;
export type WebhookEventType = keyof typeof WEBHOOK_EVENT_SCOPES;
const WEBHOOK_EVENT_TYPES = Object.keys(WEBHOOK_EVENT_SCOPES) as WebhookEventType[];

/** Maximum webhooks of an account. */
export const MAX_WEBHOOKS = 10;
/** How long the former secret still signs after a rotation, in seconds. */
export const SECRET_OVERLAP_SECONDS = { minimum: 0, maximum: 7 * 86_400, default: 86_400 };
const BALANCE_LOW_CENTS = { minimum: 1, maximum: MAX_AMOUNT_CENTS, default: 10_000 };
const HOLD_EXPIRY_PERCENT = { minimum: 1, maximum: 100, default: 50 };
const HOLD_EXPIRY_MIN_MATCHES = { minimum: 1, maximum: 1_000_000, default: 100 };

const EVENTS_TEXT =
  "campaign.exhausted: the budget does not pay for another impression; campaign.ended: the end date of an active campaign has passed; balance.low: the balance fell below balance_low_cents; holds.expiry_rate_high: too many matches of the account's games lapsed unseen in an hour; payout.figures_ready: earnings of a UTC day or month are complete.";

const url = () =>
  Type.String({
    minLength: 1,
    maxLength: MAX_TEXT_CHARACTERS,
    format: "uri",
    description:
      "Where events are sent by POST: an https address without a user name, whose host has no private address. The operator may allow http and any host.",
  });
const events = () =>
  Type.Array(oneOf(WEBHOOK_EVENT_TYPES, "An event."), {
    minItems: 1,
    maxItems: WEBHOOK_EVENT_TYPES.length,
    description: `The events to send. ${EVENTS_TEXT} The calling key needs the scope of each: developer for holds and payout, advertiser for the others.`,
  });

const choices = {
  description: optional(nameText("The owner's words for the webhook.")),
  is_active: optional(
    Type.Boolean({ default: true, description: "Whether events are recorded and sent; default: true." }),
  ),
  balance_low_cents: optional(
    Type.Integer({ ...BALANCE_LOW_CENTS, description: "Threshold of balance.low, in cents." }),
  ),
  hold_expiry_percent: optional(
    Type.Integer({
      ...HOLD_EXPIRY_PERCENT,
      description: "Threshold of holds.expiry_rate_high: percent of the matches that ended in the last hour.",
    }),
  ),
  hold_expiry_min_matches: optional(
    Type.Integer({
      ...HOLD_EXPIRY_MIN_MATCHES,
      description: "Fewer matches in the last hour never cause holds.expiry_rate_high.",
    }),
  ),
};

const webhookCreateSchema = open({ url: url(), events: events(), ...choices }, "A new webhook.");
export type WebhookCreate = WithoutNulls<Static<typeof webhookCreateSchema>>;
/** The body of POST /webhooks. */
export const webhookCreate = validatorWithoutNulls(webhookCreateSchema);

const webhookChanges = open(
  { url: Type.Optional(url()), events: Type.Optional(events()), ...choices },
  "Changes the fields that it contains; null sets an optional field back to its default.",
);
export type WebhookPatch = Static<typeof webhookChanges>;

const webhookRotateRequestSchema = open(
  {
    overlap_seconds: optional(
      Type.Integer({
        ...SECRET_OVERLAP_SECONDS,
        description: "How long the former secret signs as well, in seconds; 0: not at all.",
      }),
    ),
  },
  "Replaces the secret of a webhook.",
);
/** The body of POST /webhooks/{webhook_id}/rotate-secret. */
export const webhookRotateRequest = validatorWithoutNulls(webhookRotateRequestSchema);

const webhookFields = {
  id: answerText("The webhook's identifier, whk_…."),
  url: answerText("Where events are sent."),
  events: Type.Array(oneOf(WEBHOOK_EVENT_TYPES, "An event."), { description: "The events that are sent." }),
  description: nullable(answerText("The owner's words for the webhook.")),
  is_active: Type.Boolean({ description: "Whether events are recorded and sent." }),
  balance_low_cents: count("Threshold of balance.low, in cents."),
  hold_expiry_percent: count("Threshold of holds.expiry_rate_high, in percent."),
  hold_expiry_min_matches: count("Fewer matches in the last hour never cause holds.expiry_rate_high."),
  previous_secret_expires_at: nullable(
    timestamp("Until when the former secret signs as well; null: there is one secret."),
  ),
  created_at: timestamp("When the webhook was created."),
};

const webhookSchema = closed(webhookFields, "A webhook, without its secret.");
export type WebhookBody = Static<typeof webhookSchema>;
const webhookListSchema = Type.Array(webhookSchema, {
  description: "The account's webhooks, in the order of their creation.",
});

const webhookWithSecretSchema = closed(
  {
    ...webhookFields,
    secret: answerText("The key of the signatures, whsec_…; shown in this answer alone."),
  },
  "A webhook with its new secret.",
);

const webhookPatchSchema = patchSchemaOf(webhookChanges, webhookSchema);
/** The body of PATCH /webhooks/{webhook_id}. */
export const webhookPatch = patchReader(webhookChanges, webhookSchema, {
  previous_secret_expires_at: "rotate the secret by POST /webhooks/{webhook_id}/rotate-secret",
});

const sentEventTypes = [...WEBHOOK_EVENT_TYPES, "webhook.test"] as const;

const eventDataSchema = closed(
  {
    campaign_id: Type.Optional(answerText("campaign.*: the campaign, camp_….")),
    name: Type.Optional(answerText("campaign.*: name of the campaign.")),
    budget_cents: Type.Optional(count("campaign.exhausted: the budget, in cents.")),
    spent_millicents: Type.Optional(millicents("campaign.exhausted: what the campaign has spent.")),
    end_date: Type.Optional(answerText("campaign.ended: the end date as it was set.")),
    advertiser_id: Type.Optional(answerText("balance.low: the advertiser, adv_….")),
    balance_millicents: Type.Optional(millicents("balance.low: the balance.")),
    threshold_cents: Type.Optional(count("balance.low: the threshold that was crossed, in cents.")),
    lapsed_matches: Type.Optional(
      count("holds.expiry_rate_high: matches of the last hour that lapsed unseen."),
    ),
    ended_matches: Type.Optional(
      count("holds.expiry_rate_high: matches of the last hour that lapsed or were billed."),
    ),
    threshold_percent: Type.Optional(
      count("holds.expiry_rate_high: the threshold that was reached, in percent."),
    ),
    period: Type.Optional(answerText("payout.figures_ready: the UTC day, YYYY-MM-DD, or month, YYYY-MM.")),
    from: Type.Optional(utcDate("payout.figures_ready: the first day.")),
    to: Type.Optional(utcDate("payout.figures_ready: the last day.")),
    impressions: Type.Optional(count("payout.figures_ready: impressions of the period.")),
    earned_microcents: Type.Optional(microcents("payout.figures_ready: earnings of the period.")),
    webhook_id: Type.Optional(answerText("webhook.test: the webhook, whk_….")),
  },
  "The facts, by type of event.",
);

const webhookEventSchema = closed(
  {
    id: answerText("The event's identifier, evt_…: the same in every delivery of it."),
    type: oneOf(sentEventTypes, `What happened. ${EVENTS_TEXT} webhook.test: asked for.`),
    created_at: timestamp("When it happened."),
    account_id: answerText("The account that it happened to, acct_…."),
    data: eventDataSchema,
  },
  "What a webhook receives.",
);
export type WebhookEventBody = Static<typeof webhookEventSchema>;

const attemptSchema = closed(
  {
    attempted_at: timestamp("When the request was sent."),
    duration_ms: count("How long it took, in milliseconds."),
    status: nullable(Type.Integer({ description: "The HTTP status of the answer; null: there was none." })),
    error: nullable(answerText("Why there was no answer; null: there was one.")),
    response: nullable(answerText("The first 200 characters of the answer; null: there was none.")),
  },
  "One request to a webhook.",
);

const webhookDeliverySchema = closed(
  {
    id: answerText("The delivery's identifier, whd_…."),
    webhook_id: answerText("The webhook, whk_…."),
    event: webhookEventSchema,
    status: oneOf(
      ["pending", "delivered", "failed"],
      "pending: attempts follow; delivered: the last one was answered 2xx; failed: given up.",
    ),
    attempt_count: count("Attempts so far."),
    attempts: Type.Array(attemptSchema, { description: "The last attempts, at most 12, newest first." }),
    next_attempt_at: nullable(timestamp("When the next attempt is due; null: there is none.")),
    created_at: timestamp("When the delivery was recorded."),
  },
  "An event on its way to one webhook.",
);
export type WebhookDeliveryBody = Static<typeof webhookDeliverySchema>;
const webhookDeliveryListSchema = Type.Array(webhookDeliverySchema, {
  description: "Deliveries, newest first.",
});

/** What a null in a PATCH sets back to, and what a creation without the field gets. */
export const WEBHOOK_DEFAULTS = {
  description: null,
  is_active: true,
  balance_low_cents: BALANCE_LOW_CENTS.default,
  hold_expiry_percent: HOLD_EXPIRY_PERCENT.default,
  hold_expiry_min_matches: HOLD_EXPIRY_MIN_MATCHES.default,
} as const;

const newWebhook = {
  url: "https://studio.example/diegetic",
  events: ["campaign.exhausted", "balance.low"],
  balance_low_cents: 5_000,
};
const webhook = {
  id: exampleIds.webhook,
  ...newWebhook,
  description: null,
  is_active: true,
  hold_expiry_percent: 50,
  hold_expiry_min_matches: 100,
  previous_secret_expires_at: null,
  created_at: exampleIds.moment,
};
const secret = "whsec_MnBvCxZaSdFgHjKlPoIuYtReWqMnBvCxZaSdFgHjKlP";

const one = "/webhooks/{webhook_id}";
export const lackingEventScope = refusal(
  403,
  "lacking_scope",
  "The webhook, or one of its deliveries, is of an event whose scope the calling key lacks.",
  (scope: string, event: string) =>
    `This API key lacks the scope "${scope}", which the event ${event} needs: use one that has it.`,
  "advertiser",
  "campaign.exhausted",
);
export const otherAccountsWebhook = belongsToAnother("account", "webhook", "/webhooks");
export const noWebhook = thingNotFound("no_webhook", "Webhook", "/webhooks");
const ownWebhookOnly = [otherAccountsWebhook, noWebhook] as const;
export const inactiveWebhook = refusal(
  409,
  "inactive",
  "The webhook is inactive.",
  "The webhook is inactive: activate it first by PATCH /webhooks/{webhook_id}.",
);
export const tooManyWebhooks = tooMany("account", MAX_WEBHOOKS, "webhooks", "delete one first");
export const notHttps = refusal(
  422,
  "not_https",
  "The address is not https, or has a user name or password.",
  (schemes: "https" | "http or https") => `url must be an ${schemes} address without a user name or password`,
  "https",
);
export const privateHost = refusal(
  422,
  "private_address",
  "The host of the address is a private one.",
  (host: string) => `url must not lead to a private address, but its host is ${host}`,
  "10.0.0.7",
);
export const otherAccountsDelivery = belongsToAnother("account", "delivery", `${one}/deliveries`);
export const noDelivery = refusal(
  404,
  "no_delivery",
  "Delivery not found.",
  "Delivery not found, or no longer kept. GET /webhooks/{webhook_id}/deliveries lists yours.",
);
const delivery = {
  id: exampleIds.delivery,
  webhook_id: exampleIds.webhook,
  event: {
    id: exampleIds.event,
    type: "webhook.test",
    created_at: exampleIds.moment,
    account_id: exampleIds.account,
    data: { webhook_id: exampleIds.webhook },
  },
  status: "pending",
  attempt_count: 0,
  attempts: [],
  next_attempt_at: exampleIds.moment,
  created_at: exampleIds.moment,
};
const exhausted = {
  id: exampleIds.event,
  type: "campaign.exhausted",
  created_at: exampleIds.moment,
  account_id: exampleIds.account,
  data: {
    campaign_id: exampleIds.campaign,
    name: "Emberroast winter",
    budget_cents: 50_000,
    spent_millicents: 49_998_000,
  },
};
const attempted = {
  ...delivery,
  status: "delivered",
  attempt_count: 1,
  attempts: [
    { attempted_at: exampleIds.moment, duration_ms: 84, status: 200, error: null, response: "thanks" },
  ],
  next_attempt_at: null,
};
const malformedThreshold = malformedField(
  'balance_low_cents must be a whole number from 1 to 1000000000, but "50" was sent',
);
const percentOutOfRange = notAllowedField(
  "hold_expiry_percent must be a whole number from 1 to 100, but 0 was sent",
);
const common = { group: "management", scope: ["advertiser", "developer"], addition: true } as const;

export const secretNotShownAgain = notShownAgain(
  "The secret of the first answer cannot be shown again: get a new one by POST /webhooks/{webhook_id}/rotate-secret with another Idempotency-Key; GET /webhooks names its id.",
);

export const webhooksApi = defineFeature({
  tag: "Webhooks",
  description:
    'Events that the service sends to an address of the account: a POST of `{"id", "type", "created_at", "account_id", "data"}` with the header `Diegetic-Signature: t=<Unix seconds>,v1=<hex>`, the HMAC-SHA-256 of `t.body` under the secret; after a rotation with one `v1` for each secret. Delivered at least once: the id of an event stays the same. Any answer but 2xx is retried with growing pauses.',
  schemas: {
    Webhook: webhookSchema,
    WebhookWithSecret: webhookWithSecretSchema,
    NewWebhook: webhookCreateSchema,
    WebhookChanges: webhookPatchSchema,
    SecretRotation: webhookRotateRequestSchema,
    WebhookEvent: webhookEventSchema,
    WebhookEventData: eventDataSchema,
    WebhookDelivery: webhookDeliverySchema,
    WebhookAttempt: attemptSchema,
  },
  operations: {
    create: operation("POST /webhooks", {
      ...common,
      operationId: "createWebhook",
      summary: "Create a webhook",
      description: "Only this answer has the secret.",
      idempotent: true,
      request: { schema: webhookCreateSchema, example: newWebhook },
      success: [created("The new webhook.", webhookWithSecretSchema, { ...webhook, secret })],
      refusals: [
        missingField("url is required: it must be an absolute http or https address"),
        malformedThreshold,
        lackingEventScope,
        percentOutOfRange,
        notHttps,
        privateHost,
        tooManyWebhooks,
        secretNotShownAgain,
      ],
    }),
    list: operation("GET /webhooks", {
      ...common,
      operationId: "listWebhooks",
      summary: "List the webhooks",
      description: "In the order of their creation.",
      paged: true,
      success: [ok("The webhooks.", webhookListSchema, [webhook])],
      refusals: [],
    }),
    show: operation(`GET ${one}`, {
      ...common,
      operationId: "getWebhook",
      summary: "Show a webhook",
      description: "Without its secret.",
      success: [ok("The webhook.", webhookSchema, webhook)],
      refusals: ownWebhookOnly,
    }),
    change: operation(`PATCH ${one}`, {
      ...common,
      operationId: "updateWebhook",
      summary: "Change a webhook",
      description:
        "Changes the fields that the body contains; `null` sets an optional field back to its default.",
      request: { schema: webhookPatchSchema, example: { balance_low_cents: 20_000 } },
      success: [ok("The changed webhook.", webhookSchema, { ...webhook, balance_low_cents: 20_000 })],
      refusals: [
        malformedThreshold,
        ...ownWebhookOnly,
        lackingEventScope,
        percentOutOfRange,
        notHttps,
        privateHost,
        responseOnlyField("id cannot be changed by PATCH: leave it out"),
      ],
    }),
    remove: operation(`DELETE ${one}`, {
      ...common,
      operationId: "deleteWebhook",
      summary: "Delete a webhook",
      description: "With its deliveries; what is being sent may still arrive.",
      success: [noContent("The webhook is deleted.")],
      refusals: [...ownWebhookOnly, lackingEventScope],
    }),
    rotateSecret: operation(`POST ${one}/rotate-secret`, {
      ...common,
      operationId: "rotateWebhookSecret",
      summary: "Replace the secret",
      description:
        "Deliveries are signed with the new and the former secret for the overlap, a day by default. An older secret ends at once. Only this answer has the new secret.",
      idempotent: true,
      request: { schema: webhookRotateRequestSchema, example: { overlap_seconds: 3_600 }, optional: true },
      success: [
        ok("The webhook with its new secret.", webhookWithSecretSchema, {
          ...webhook,
          previous_secret_expires_at: "2026-12-01T10:30:00.000Z",
          secret,
        }),
      ],
      refusals: [
        malformedField('overlap_seconds must be a whole number from 0 to 604800, but "day" was sent'),
        ...ownWebhookOnly,
        lackingEventScope,
        notAllowedField("overlap_seconds must be a whole number from 0 to 604800, but -1 was sent"),
        secretNotShownAgain,
      ],
    }),
    test: operation(`POST ${one}/test`, {
      ...common,
      operationId: "testWebhook",
      summary: "Send a test event",
      description:
        "Records an event `webhook.test`, which is sent like any other, also while the webhook is inactive.",
      success: [ok("The delivery.", webhookDeliverySchema, delivery)],
      refusals: [...ownWebhookOnly, lackingEventScope],
    }),
    deliveries: operation(`GET ${one}/deliveries`, {
      ...common,
      operationId: "listWebhookDeliveries",
      summary: "List the deliveries",
      description:
        "Newest first, with their last attempts; without `limit` a page has 50. Kept for 30 days unless the operator set another time, at most 10000 a webhook.",
      paged: true,
      success: [ok("The deliveries.", webhookDeliveryListSchema, [attempted])],
      refusals: [...ownWebhookOnly, lackingEventScope],
    }),
    redeliver: operation("POST /webhooks/deliveries/{delivery_id}/redeliver", {
      ...common,
      operationId: "redeliverWebhookDelivery",
      summary: "Deliver again",
      description:
        "Sends the same event again at once, whatever its outcome so far, with as many retries as at first. The webhook must be active, except for `webhook.test`.",
      success: [ok("The delivery.", webhookDeliverySchema, delivery)],
      refusals: [otherAccountsDelivery, noDelivery, lackingEventScope, inactiveWebhook],
    }),
  },
  sentRequests: {
    event: {
      operationId: "receiveEvent",
      summary: "Receive an event",
      description:
        "Sent to the `url` of each active webhook that subscribes to the event, at least once. `webhook.test` goes to the one webhook that it was asked for, active or not.",
      request: { schema: webhookEventSchema, example: exhausted },
      headers: {
        "Diegetic-Signature": {
          description:
            "`t=<Unix seconds>,v1=<hex>`: the HMAC-SHA-256 of the seconds, a point and the body as received, under the whole secret, `whsec_` included; after a rotation, one `v1` for each secret.",
          example: `t=1796117460,v1=${"5d".repeat(32)}`,
        },
      },
      responses: {
        "2XX": "Received: the event is not sent again. The body is not needed.",
        default:
          "Anything else, a redirect, or no answer in time (ten seconds unless the operator set another): the event is sent again with growing pauses, 12 times in all.",
      },
    },
  },
});
