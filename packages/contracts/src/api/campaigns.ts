import type { Static } from "typebox";
import {
  accountTooLarge,
  malformedField,
  malformedName,
  missingField,
  notAllowedField,
  ownCampaignOnly,
  publishedSizes,
  registerFirst,
  responseOnlyField,
  tooMany,
} from "../definition/common-errors.ts";
import { CAMPAIGN_STATUSES } from "../definition/enumerations.ts";
import { exampleIds } from "../definition/example-ids.ts";
import {
  amountCents,
  answerText,
  closed,
  count,
  flightDate,
  listOf,
  millicents,
  nameText,
  nullable,
  oneOf,
  open,
  optional,
  timestamp,
} from "../definition/fields.ts";
import { created, defineFeature, ok, operation, refusal } from "../definition/operation.ts";
import Type from "../definition/type.ts";
import { patchReader, patchSchemaOf } from "../validation/response-only.ts";
import { validatorWithoutNulls, type WithoutNulls } from "../validation/validator.ts";
import { affinityCreateSchema, MAX_AFFINITIES, repeatedAffinity } from "./affinities.ts";
import { blocklistRuleCreateSchema, MAX_BLOCKLIST_RULES } from "./blocklist.ts";
import { creativeCreateSchema, MAX_CREATIVES } from "./creatives.ts";
import { geoTargetCreateSchema, MAX_GEO_TARGETS } from "./geo-targets.ts";

export const CPM_BID_CENTS = { minimum: 100, maximum: 10_000 };
export const PRIORITY = { minimum: 0, maximum: 10, default: 5 };

const cpmBid = () =>
  Type.Integer({ ...CPM_BID_CENTS, description: "The bid: what a thousand impressions cost, in cents." });
const budget = () => amountCents("What the campaign may spend in all, in cents.");

/** The fields shared by create and PATCH; null means none, or the default. */
const optionalFields = {
  daily_cap_cents: optional(
    amountCents("What the campaign may spend in one UTC day, in cents; null: no cap."),
  ),
  start_date: optional(flightDate("When serving begins; null: at activation.")),
  end_date: optional(flightDate("When serving ends; null: when the budget is spent.")),
  priority: optional(Type.Integer({ ...PRIORITY, description: "Higher is more likely to win ties." })),
  target_categories: optional(
    listOf(nameText("A game category."), "Only games of one of these categories; empty: all."),
  ),
  target_tags: optional(
    listOf(nameText("A content tag."), "Only scenes with one of these tags; empty: all."),
  ),
};

export const campaignCreateSchema = open(
  {
    name: nameText("Name of the campaign."),
    budget_cents: budget(),
    cpm_bid_cents: cpmBid(),
    ...optionalFields,
  },
  "A new campaign; it starts as a draft.",
);
export type CampaignCreate = WithoutNulls<Static<typeof campaignCreateSchema>>;
/** The body of POST /campaigns. Management checks that start_date is not after end_date. */
export const campaignCreate = validatorWithoutNulls(campaignCreateSchema);

const campaignChanges = open(
  {
    name: Type.Optional(nameText("Name of the campaign.")),
    budget_cents: Type.Optional(budget()),
    cpm_bid_cents: Type.Optional(cpmBid()),
    ...optionalFields,
  },
  "Changes the fields that it contains; null clears an optional field or sets it back to its default.",
);

export const campaignSchema = closed(
  {
    id: answerText("The campaign, camp_…"),
    name: answerText("Name of the campaign."),
    status: oneOf(CAMPAIGN_STATUSES, "Only an active campaign is served."),
    budget_cents: count("What the campaign may spend in all, in cents."),
    spent_cents: count("What the campaign has spent, in whole cents, rounded up."),
    spent_millicents: millicents("What the campaign has spent."),
    cpm_bid_cents: count("The bid: what a thousand impressions cost, in cents."),
    daily_cap_cents: nullable(count("What the campaign may spend in one UTC day, in cents; null: no cap.")),
    start_date: nullable(answerText("When serving begins, as it was given; null: at activation.")),
    end_date: nullable(answerText("When serving ends, as it was given; null: when the budget is spent.")),
    priority: count("Higher is more likely to win ties, 0 to 10."),
    target_categories: Type.Array(answerText("A game category."), {
      description: "Only games of one of these categories; empty: all.",
    }),
    target_tags: Type.Array(answerText("A content tag."), {
      description: "Only scenes with one of these tags; empty: all.",
    }),
    created_at: timestamp("When the campaign was created."),
  },
  "A campaign.",
);
export type CampaignBody = Static<typeof campaignSchema>;

const campaignPatchSchema = patchSchemaOf(campaignChanges, campaignSchema);
/** The body of PATCH /campaigns/{id}. */
export const campaignPatch = patchReader(campaignChanges, campaignSchema, {
  status: "pause it by POST /campaigns/{id}/pause, activate it by POST /campaigns/{id}/activate",
  spent_cents: "it follows from the impressions that were billed",
});

const campaignListSchema = Type.Array(campaignSchema, {
  description: "The caller's campaigns, newest first.",
});

/** Maximum campaigns of one bulk request. */
const MAX_BULK_CAMPAIGNS = 500;

const wholeCampaignCreateSchema = open(
  {
    ...campaignCreateSchema.properties,
    activate: optional(
      Type.Boolean({
        default: false,
        description:
          "true: the campaign is active at once; it needs a creative, and the balance must cover one impression. false: it is a draft.",
      }),
    ),
    creatives: optional(
      Type.Array(creativeCreateSchema, { maxItems: MAX_CREATIVES, description: "Its creatives." }),
    ),
    geo_targets: optional(
      Type.Array(geoTargetCreateSchema, { maxItems: MAX_GEO_TARGETS, description: "Its geo targets." }),
    ),
    blocklist: optional(
      Type.Array(blocklistRuleCreateSchema, {
        maxItems: MAX_BLOCKLIST_RULES,
        description: "Its blocklist rules.",
      }),
    ),
    affinities: optional(
      Type.Array(affinityCreateSchema, {
        maxItems: MAX_AFFINITIES,
        description: "Its affinities; of equal weights the earlier one wins.",
      }),
    ),
  },
  "A new campaign with all that belongs to it.",
);
export type WholeCampaignCreate = WithoutNulls<Static<typeof wholeCampaignCreateSchema>>;
/** One campaign of a bulk request: what a schema can say of it. */
export const wholeCampaignCreate = validatorWithoutNulls(wholeCampaignCreateSchema);

const MANY = { minItems: 1, maxItems: MAX_BULK_CAMPAIGNS };

const campaignBulkRequestSchema = open(
  {
    campaigns: Type.Array(wholeCampaignCreateSchema, {
      ...MANY,
      description: "Each is created whole or not at all, whatever becomes of the others.",
    }),
  },
  "New campaigns.",
);
/** The body of POST /campaigns/bulk. Each campaign is read by `wholeCampaignCreate`: one that is wrong refuses no other. */
export const campaignBulkRequest = validatorWithoutNulls(
  open({ campaigns: Type.Unsafe<unknown[]>({ type: "array", ...MANY }) }),
);

const campaignBulkSchema = closed(
  {
    results: Type.Array(
      closed(
        {
          status: count(
            "201: created. 400, 409 or 422: refused, as POST /campaigns, a call for one of its parts or its activation would.",
          ),
          campaign: Type.Optional(campaignSchema),
          error: Type.Optional(answerText("What was wrong, which field it was and what is allowed.")),
        },
        "What became of one campaign: campaign when it was created, else error.",
      ),
      { description: "One for each campaign, in the order of the request." },
    ),
  },
  "What became of the campaigns of a bulk request.",
);
export type CampaignBulkBody = Static<typeof campaignBulkSchema>;

/** Maximum campaigns per advertiser: they share a wallet in Redis, which is restored as a whole. */
export const MAX_CAMPAIGNS = 5_000;
const newCampaign = {
  name: "Winter in the taverns",
  budget_cents: 100_000,
  cpm_bid_cents: 1_200,
  daily_cap_cents: 20_000,
  priority: 5,
  target_categories: ["fantasy"],
  target_tags: ["tavern"],
};
const wholeCampaign = {
  ...newCampaign,
  creatives: [
    { creative_type: "narrative_hook", brand_name: "Ember", narrative_hook: "It smells of Ember beer." },
  ],
  geo_targets: [{ target_type: "country", country_code: "DE" }],
  blocklist: [{ rule_type: "keyword", value: "storm" }],
  affinities: [{ affinity_type: "mood", affinity_value: "calm", weight: 1.5 }],
};
const calm = { affinity_type: "mood", affinity_value: "calm" };
const repeating = { name: "Calm", budget_cents: 1_000, cpm_bid_cents: 500, affinities: [calm, calm] };
const draft = {
  id: exampleIds.campaign,
  ...newCampaign,
  status: "draft",
  spent_cents: 0,
  spent_millicents: 0,
  start_date: null,
  end_date: null,
  created_at: exampleIds.moment,
};
const served = { ...draft, status: "active", spent_cents: 2, spent_millicents: 2_000 };
export const endBeforeStart = refusal(
  422,
  "end_before_start",
  "The campaign would end before it starts.",
  (endDate: string, startDate: string) =>
    `end_date must not be before start_date: ${endDate} is before ${startDate}`,
  "2026-11-30",
  "2026-12-01",
);
export const tooManyCampaigns = tooMany(
  "advertiser",
  MAX_CAMPAIGNS,
  "campaigns",
  "change one that is no longer needed",
);
export const budgetBelowSpent = refusal(
  422,
  "budget_below_spent",
  "The new budget would not cover what is spent.",
  (spentCents: number, sent: number) =>
    `budget_cents must not be below what the campaign has spent: spent_cents is ${spentCents}, but ${sent} was sent`,
  4200,
  4000,
);
export const alreadyActive = refusal(
  409,
  "already_active",
  "The campaign is active.",
  "The campaign is active already and need not be activated again: POST /campaigns/{campaign_id}/pause pauses it.",
);
export const withoutCreative = refusal(
  409,
  "no_creative",
  "The campaign has no creative.",
  "The campaign has no creative: create one by POST /campaigns/{campaign_id}/creatives first, or name one in creatives of a bulk request.",
);
export const balanceTooLow = refusal(
  409,
  "balance",
  "The balance does not cover one impression.",
  (balanceCents: number, bidCents: number) =>
    `The balance (balance_cents is ${balanceCents}) does not cover one impression at cpm_bid_cents ${bidCents}: deposit more by POST /deposit.`,
  0,
  1200,
);
export const notActive = refusal(
  409,
  "not_active",
  "The campaign is not active.",
  (status: string) =>
    status === "paused"
      ? "The campaign is paused already: POST /campaigns/{campaign_id}/activate lets it serve again."
      : "The campaign is a draft, which is not served: only an active one can be paused, and POST /campaigns/{campaign_id}/activate activates it.",
  "draft",
);
const common = { group: "management", scope: "advertiser" } as const;
const one = "/campaigns/{campaign_id}";

export const campaignsApi = defineFeature({
  tag: "Campaigns",
  description: "Budgets, bids and flights. A campaign starts as a draft and is served while it is active.",
  schemas: {
    Campaign: campaignSchema,
    NewCampaign: campaignCreateSchema,
    CampaignChanges: campaignPatchSchema,
    NewWholeCampaign: wholeCampaignCreateSchema,
    NewCampaigns: campaignBulkRequestSchema,
    BulkResults: campaignBulkSchema,
  },
  additions: ["Campaign.spent_millicents"],
  operations: {
    create: operation("POST /campaigns", {
      ...common,
      operationId: "createCampaign",
      summary: "Create a campaign",
      description: `The new campaign is a draft: give it a creative, then activate it. An advertiser has at most ${MAX_CAMPAIGNS} campaigns.`,
      idempotent: true,
      request: { schema: campaignCreateSchema, example: newCampaign },
      success: [created("The new campaign.", campaignSchema, draft)],
      refusals: [
        missingField("budget_cents is required: it must be a whole number from 1 to 1000000000"),
        malformedField("budget_cents must be a whole number from 1 to 1000000000, but 99.5 was sent"),
        registerFirst,
        notAllowedField("cpm_bid_cents must be a whole number from 100 to 10000, but 99 was sent"),
        endBeforeStart,
        tooManyCampaigns,
        accountTooLarge,
      ],
    }),
    createMany: operation("POST /campaigns/bulk", {
      ...common,
      operationId: "createCampaigns",
      summary: "Create many campaigns",
      description:
        "Creates up to 500 campaigns with their creatives, geo targets, blocklist and affinities, as drafts, or active where `activate` is true. Each campaign is created whole or not at all, by the same rules and limits as single calls, and has a result of its own. Counts as one request for each 100 campaigns or part of them, or as one more for each 64 KiB of its body, whichever is more. The body has at most 256 KiB, as everywhere: send what is more in several requests.",
      addition: true,
      idempotent: true,
      bodyBytesPerRequest: 64 * 1_024,
      request: { schema: campaignBulkRequestSchema, example: { campaigns: [wholeCampaign, repeating] } },
      success: [
        ok("What became of each campaign, in the order of the request.", campaignBulkSchema, {
          results: [
            { status: 201, campaign: draft },
            { status: 422, error: repeatedAffinity.detail },
          ],
        }),
      ],
      refusals: [
        missingField("campaigns is required: it must be a list of at least 1 and at most 500 entries"),
        malformedField('campaigns must be a list of at least 1 and at most 500 entries, but "many" was sent'),
        registerFirst,
        refusal(
          422,
          "too_many",
          `The list has more than ${MAX_BULK_CAMPAIGNS} entries, or none.`,
          "campaigns must be a list of at least 1 and at most 500 entries, but a list of 501 entries was sent",
        ),
      ],
    }),
    list: operation("GET /campaigns", {
      ...common,
      operationId: "listCampaigns",
      summary: "List the campaigns",
      description: "The caller's campaigns, newest first.",
      paged: true,
      success: [ok("The campaigns.", campaignListSchema, [draft])],
      refusals: [registerFirst],
    }),
    show: operation(`GET ${one}`, {
      ...common,
      operationId: "getCampaign",
      summary: "Read a campaign",
      description: "The campaign with its status and what it has spent.",
      success: [ok("The campaign.", campaignSchema, served)],
      refusals: ownCampaignOnly,
    }),
    change: operation(`PATCH ${one}`, {
      ...common,
      operationId: "updateCampaign",
      summary: "Change a campaign",
      description:
        "Changes the fields that the body contains, in every status; `null` clears an optional field or sets it back to its default. It applies to whatever is matched after the answer.",
      request: {
        schema: campaignPatchSchema,
        example: { budget_cents: 150_000, daily_cap_cents: null, priority: 8 },
      },
      success: [
        ok("The changed campaign.", campaignSchema, {
          ...served,
          budget_cents: 150_000,
          daily_cap_cents: null,
          priority: 8,
        }),
      ],
      refusals: [
        malformedName("name", "null"),
        ...ownCampaignOnly,
        notAllowedField("priority must be a whole number from 0 to 10, but 11 was sent"),
        responseOnlyField(
          "status cannot be changed by PATCH: pause it by POST /campaigns/{id}/pause, activate it by POST /campaigns/{id}/activate",
        ),
        endBeforeStart,
        budgetBelowSpent,
        ...publishedSizes,
      ],
    }),
    activate: operation(`POST ${one}/activate`, {
      ...common,
      operationId: "activateCampaign",
      summary: "Activate a campaign",
      description:
        "Serving begins at once, or at start_date. The campaign needs a creative, and the balance must cover one impression at its bid. A campaign whose budget is used up becomes active and does not serve.",
      success: [ok("The active campaign.", campaignSchema, { ...draft, status: "active" })],
      refusals: [...ownCampaignOnly, alreadyActive, withoutCreative, balanceTooLow],
    }),
    pause: operation(`POST ${one}/pause`, {
      ...common,
      operationId: "pauseCampaign",
      summary: "Pause a campaign",
      description:
        "Nothing of the campaign is matched after the answer. Ads that were matched before and are seen are still billed. It can be activated again.",
      success: [ok("The paused campaign.", campaignSchema, { ...served, status: "paused" })],
      refusals: [...ownCampaignOnly, notActive],
    }),
  },
});
