import {
  campaignCreateSchema,
  campaignListSchema,
  campaignPatchSchema,
  campaignSchema,
} from "../schemas/campaign.ts";
import {
  campaignBulkRequestSchema,
  campaignBulkSchema,
  wholeCampaignCreateSchema,
} from "../schemas/campaign-bulk.ts";
import {
  accountTooLarge,
  campaignTooLarge,
  malformedField,
  missingField,
  notAllowedField,
  ownCampaignOnly,
  registerFirst,
  responseOnlyField,
} from "./common-refusals.ts";
import { exampleIds } from "./example-ids.ts";
import { defineFeature, refusal } from "./operation.ts";

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
const endBeforeStart = refusal(
  422,
  "end_before_start",
  "The campaign would end before it starts.",
  "end_date must not be before start_date: 2026-11-30 is before 2026-12-01",
);
const notBlankName = "name must be text of at most 200 characters that is not blank";
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
    create: {
      ...common,
      operationId: "createCampaign",
      method: "POST",
      path: "/campaigns",
      summary: "Create a campaign",
      description:
        "The new campaign is a draft: give it a creative, then activate it. An advertiser has at most 5000 campaigns.",
      idempotent: true,
      request: { schema: campaignCreateSchema, example: newCampaign },
      success: [{ status: 201, description: "The new campaign.", schema: campaignSchema, example: draft }],
      refusals: [
        missingField("budget_cents is required: it must be a whole number from 1 to 1000000000"),
        malformedField("budget_cents must be a whole number from 1 to 1000000000, but 99.5 was sent"),
        registerFirst,
        notAllowedField("cpm_bid_cents must be a whole number from 100 to 10000, but 99 was sent"),
        endBeforeStart,
        refusal(
          422,
          "too_many",
          "The advertiser has 5000 campaigns.",
          "An advertiser has at most 5000 campaigns: change one that is no longer needed.",
        ),
        accountTooLarge,
      ],
    },
    createMany: {
      ...common,
      operationId: "createCampaigns",
      method: "POST",
      path: "/campaigns/bulk",
      summary: "Create many campaigns",
      description:
        "Creates up to 500 drafts with their creatives, geo targets, blocklist and affinities. Each campaign is created whole or not at all, by the same rules and limits as single calls, and has a result of its own. Counts as one request for each 100 campaigns or part of them. The body has at most 256 KiB, as everywhere: send what is more in several requests.",
      addition: true,
      idempotent: true,
      request: { schema: campaignBulkRequestSchema, example: { campaigns: [wholeCampaign, repeating] } },
      success: [
        {
          status: 200,
          description: "What became of each campaign, in the order of the request.",
          schema: campaignBulkSchema,
          example: {
            results: [
              { status: 201, campaign: draft },
              {
                status: 422,
                error: "cpm_bid_cents must be a whole number from 100 to 10000, but 99 was sent",
              },
            ],
          },
        },
      ],
      refusals: [
        missingField(
          "campaigns is required: it must be a list of at least 1 and at most 500 entries, each an object",
        ),
        malformedField(
          'campaigns must be a list of at least 1 and at most 500 entries, each an object, but "many" was sent',
        ),
        registerFirst,
        refusal(
          422,
          "too_many",
          "The list has more than 500 entries, or none.",
          "campaigns must be a list of at least 1 and at most 500 entries, each an object, but a list of 501 entries was sent",
        ),
      ],
    },
    list: {
      ...common,
      operationId: "listCampaigns",
      method: "GET",
      path: "/campaigns",
      summary: "List the campaigns",
      description: "The caller's campaigns, newest first.",
      paged: true,
      success: [{ status: 200, description: "The campaigns.", schema: campaignListSchema, example: [draft] }],
      refusals: [registerFirst],
    },
    show: {
      ...common,
      operationId: "getCampaign",
      method: "GET",
      path: one,
      summary: "Read a campaign",
      description: "The campaign with its status and what it has spent.",
      success: [
        {
          status: 200,
          description: "The campaign.",
          schema: campaignSchema,
          example: { ...draft, status: "active", spent_cents: 2, spent_millicents: 2000 },
        },
      ],
      refusals: ownCampaignOnly,
    },
    change: {
      ...common,
      operationId: "updateCampaign",
      method: "PATCH",
      path: one,
      summary: "Change a campaign",
      description:
        "Changes the fields that the body contains, in every status; `null` clears an optional field or sets it back to its default. What is matched after the answer obeys the change.",
      request: {
        schema: campaignPatchSchema,
        example: { budget_cents: 150_000, daily_cap_cents: null, priority: 8 },
      },
      success: [
        {
          status: 200,
          description: "The changed campaign.",
          schema: campaignSchema,
          example: {
            ...draft,
            status: "active",
            spent_cents: 2,
            spent_millicents: 2000,
            budget_cents: 150_000,
            daily_cap_cents: null,
            priority: 8,
          },
        },
      ],
      refusals: [
        malformedField(`${notBlankName}, but null was sent`),
        ...ownCampaignOnly,
        notAllowedField("priority must be a whole number from 0 to 10, but 11 was sent"),
        responseOnlyField(
          "status cannot be changed by PATCH: pause it by POST /campaigns/{campaign_id}/pause, activate it by POST /campaigns/{campaign_id}/activate",
        ),
        endBeforeStart,
        refusal(
          422,
          "budget_below_spent",
          "The new budget would not cover what is spent.",
          "budget_cents must not be below what the campaign has spent: spent_cents is 4200, but 4000 was sent",
        ),
        ...campaignTooLarge,
      ],
    },
    activate: {
      ...common,
      operationId: "activateCampaign",
      method: "POST",
      path: `${one}/activate`,
      summary: "Activate a campaign",
      description:
        "Serving begins at once, or at start_date. The campaign needs a creative, and the balance must cover one impression at its bid. A campaign whose budget is used up becomes active and does not serve.",
      success: [
        {
          status: 200,
          description: "The active campaign.",
          schema: campaignSchema,
          example: { ...draft, status: "active" },
        },
      ],
      refusals: [
        ...ownCampaignOnly,
        refusal(
          409,
          "already_active",
          "The campaign is active.",
          "The campaign is active already and need not be activated again: POST /campaigns/{campaign_id}/pause pauses it.",
        ),
        refusal(
          409,
          "no_creative",
          "The campaign has no creative.",
          "The campaign has no creative: create one by POST /campaigns/{campaign_id}/creatives first.",
        ),
        refusal(
          409,
          "balance",
          "The balance does not cover one impression.",
          "The balance (balance_cents is 0) does not cover one impression at cpm_bid_cents 1200: deposit more by POST /deposit.",
        ),
      ],
    },
    pause: {
      ...common,
      operationId: "pauseCampaign",
      method: "POST",
      path: `${one}/pause`,
      summary: "Pause a campaign",
      description:
        "Nothing of the campaign is matched after the answer. Ads that were matched before and are seen are still billed. It can be activated again.",
      success: [
        {
          status: 200,
          description: "The paused campaign.",
          schema: campaignSchema,
          example: { ...draft, status: "paused", spent_cents: 2, spent_millicents: 2000 },
        },
      ],
      refusals: [
        ...ownCampaignOnly,
        refusal(
          409,
          "not_active",
          "The campaign is not active.",
          "The campaign is a draft, which is not served: only an active one can be paused, and POST /campaigns/{campaign_id}/activate activates it.",
        ),
      ],
    },
  },
});
