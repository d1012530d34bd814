import Type, { type Static } from "typebox";
import { createValidator, type WithoutNulls } from "../validation/validator.ts";
import { affinityCreateSchema, MAX_AFFINITIES } from "./affinity.ts";
import { blocklistRuleCreateSchema } from "./blocklist.ts";
import { campaignCreateSchema, campaignSchema } from "./campaign.ts";
import { creativeCreateSchema } from "./creative.ts";
import { answerText, closed, count, open, optional } from "./fields.ts";
import { geoTargetCreateSchema } from "./geo-target.ts";

/** Most campaigns of one bulk request. */
export const MAX_BULK_CAMPAIGNS = 500;
/** Most creatives of one campaign (docs/behaviour.md#sizes). */
export const MAX_CREATIVES = 100;
/** Most geo targets of one campaign (docs/behaviour.md#sizes). */
export const MAX_GEO_TARGETS = 500;
/** Most blocklist rules of one campaign (docs/behaviour.md#sizes). */
export const MAX_BLOCKLIST_RULES = 1_000;

export const wholeCampaignCreateSchema = open(
  {
    ...campaignCreateSchema.properties,
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
  "A new campaign with all that belongs to it; it starts as a draft.",
);
export type WholeCampaignCreate = WithoutNulls<Static<typeof wholeCampaignCreateSchema>>;
/** One campaign of a bulk request: what a schema can say of it. */
export const wholeCampaignCreate = createValidator(wholeCampaignCreateSchema);

const MANY = { minItems: 1, maxItems: MAX_BULK_CAMPAIGNS };

export const campaignBulkRequestSchema = open(
  {
    campaigns: Type.Array(wholeCampaignCreateSchema, {
      ...MANY,
      description: "Each is created whole or not at all, whatever becomes of the others.",
    }),
  },
  "New campaigns.",
);
/** The body of POST /campaigns/bulk. Each campaign is read by `wholeCampaignCreate`: one that is wrong refuses no other. */
export const campaignBulkRequest = createValidator(
  open({ campaigns: Type.Array(Type.Unsafe<object>({ type: "object" }), MANY) }),
);

export const campaignBulkSchema = closed(
  {
    results: Type.Array(
      closed(
        {
          status: count(
            "201: created. 400 or 422: refused, as POST /campaigns or a call for one of its parts would.",
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
