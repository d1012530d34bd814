import Type, { type Static } from "typebox";
import { patchReader, patchSchemaOf } from "../validation/response-only.ts";
import { createValidator, type WithoutNulls } from "../validation/validator.ts";
import {
  amountCents,
  answerText,
  CAMPAIGN_STATUSES,
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
} from "./fields.ts";

/** Bounds of cpm_bid_cents (spec: Limits). */
export const CPM_BID_CENTS = { minimum: 100, maximum: 10_000 };
/** Bounds and default of a campaign's priority (spec: Limits). */
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
  priority: optional(
    Type.Integer({
      minimum: PRIORITY.minimum,
      maximum: PRIORITY.maximum,
      default: PRIORITY.default,
      description: "Higher is more likely to win ties.",
    }),
  ),
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
export const campaignCreate = createValidator(campaignCreateSchema);

const campaignChanges = open(
  {
    name: Type.Optional(nameText("Name of the campaign.")),
    budget_cents: Type.Optional(budget()),
    cpm_bid_cents: Type.Optional(cpmBid()),
    ...optionalFields,
  },
  "Changes the fields that it contains; null clears an optional field or sets it back to its default.",
);
export type CampaignPatch = Static<typeof campaignChanges>;

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

export const campaignPatchSchema = patchSchemaOf(campaignChanges, campaignSchema);
/** The body of PATCH /campaigns/{id}. */
export const campaignPatch = patchReader(campaignChanges, campaignSchema, {
  status:
    "pause it by POST /campaigns/{campaign_id}/pause, activate it by POST /campaigns/{campaign_id}/activate",
  spent_cents: "it follows from the impressions that were billed",
});

export const campaignListSchema = Type.Array(campaignSchema, {
  description: "The caller's campaigns, newest first.",
});
