import type { Static } from "typebox";
import {
  malformedField,
  missingField,
  notAllowedField,
  ownCampaignOnly,
} from "../definition/common-errors.ts";
import { AFFINITY_TYPES } from "../definition/enumerations.ts";
import { exampleIds } from "../definition/example-ids.ts";
import { answerText, closed, nullable, oneOf } from "../definition/fields.ts";
import { defineFeature, ok, operation, refusal } from "../definition/operation.ts";
import Type from "../definition/type.ts";
import { CPM_BID_CENTS } from "./campaigns.ts";
import { matchRequestSchema } from "./serving.ts";

/** Names of all checks, in order (docs/matching.md, "Reason codes"). */
export const CHECKED_RULES = [
  "status",
  "start_date",
  "end_date",
  "placement_active",
  "blocked_advertisers",
  "blocked_categories",
  "placement_types",
  "geo_excludes",
  "geo_includes",
  "blocked_keywords",
  "blocked_themes",
  "blocked_context_categories",
  "blocked_actions",
  "blocked_games",
  "target_categories",
  "target_tags",
  "balance",
  "budget",
  "daily_cap",
  "max_ads_per_session",
  "max_uses_per_game",
] as const;

const explainResponseSchema = closed(
  {
    campaign_id: answerText("The campaign."),
    would_serve: Type.Boolean({
      description: "Every check passes, and the rank is within 1 % of the highest.",
    }),
    checks: Type.Array(
      closed(
        {
          code: Type.Integer({
            minimum: 100,
            maximum: 599,
            description:
              "Stable number of the rule: 1xx campaign, 2xx placement, 3xx targeting, 4xx money, 5xx caps.",
          }),
          rule: oneOf(CHECKED_RULES, "Stable name of the rule."),
          passed: Type.Boolean({ description: "Whether the campaign passes the rule." }),
          detail: answerText("The compared values."),
        },
        "How one rule went.",
      ),
      { description: "Every rule in the order of matching, also after one has failed." },
    ),
    affinity_score: Type.Number({
      minimum: 0,
      description: "Sum of the contributions of the campaign's affinities to this scene.",
    }),
    affinity_parts: Type.Array(
      closed(
        {
          affinity_id: answerText("The affinity, aff_…"),
          affinity_type: oneOf(AFFINITY_TYPES, "Which part of the scene the value is compared with."),
          affinity_value: answerText("The value."),
          contribution: Type.Number({
            minimum: 0,
            description: "Its weight, half its weight where it was only found in the narrative, or 0.",
          }),
        },
        "What one affinity adds to the score.",
      ),
      { description: "One entry for each affinity of the campaign, zeros included." },
    ),
    rank: Type.Number({
      minimum: 0,
      description:
        "cpm_bid_cents × (1 + affinity_score ÷ (1 + affinity_score)), to six decimals of the factor: the highest rank wins.",
    }),
    winning_rank: nullable(
      Type.Number({
        minimum: 0,
        description:
          "The best rank among the other candidates; null when there is none. When none of the 64 highest can serve, that of the next one.",
      }),
    ),
    summary: answerText("One sentence: why the campaign would or would not serve."),
    bid_to_win_cents: nullable(
      Type.Integer({
        ...CPM_BID_CENTS,
        description:
          "The lowest cpm_bid_cents with which the campaign would serve, everything else being equal; null when no bid would do: another rule fails, its money does not cover such a bid, or the bid would be out of range.",
      }),
    ),
    session_counts_as_new: Type.Boolean({
      description:
        "Whether the player session was taken as new, because the game belongs to another account.",
    }),
  },
  "Why the campaign would or would not serve the request. Nothing was served, held or billed.",
);
export type ExplainResponse = Static<typeof explainResponseSchema>;

export const noRegisteredGame = refusal(
  404,
  "no_game",
  "Ads were never enabled in the game.",
  "game_id names no registered game: send the game_id of a game whose developer has enabled ads",
);
export const explainApi = defineFeature({
  tag: "Explanation",
  description: "Tells an advertiser rule by rule why a campaign would or would not serve a scene.",
  schemas: { Explanation: explainResponseSchema },
  operations: {
    explain: operation("POST /campaigns/{campaign_id}/explain", {
      group: "explain",
      scope: "advertiser",
      role: "viewer",
      operationId: "explainCampaign",
      addition: true,
      summary: "Explain why a campaign would or would not serve",
      description:
        "Takes the body of a match request for any registered game, and goes through every rule of matching in its order, on the same campaigns and placements as a match. It serves, holds and bills nothing. Unless the game belongs to the caller's account, the player session counts as new. At most 64 rivals are read.",
      request: {
        schema: matchRequestSchema,
        example: {
          game_id: exampleIds.game,
          user_id: "player-8812",
          game_context: { category: "fantasy", mood_tags: ["calm"], location: "tavern" },
        },
      },
      success: [
        ok("Every rule, the score and the rank.", explainResponseSchema, {
          campaign_id: exampleIds.campaign,
          would_serve: false,
          checks: [
            {
              code: 101,
              rule: "status",
              passed: false,
              detail: "The campaign is paused; only active ones serve.",
            },
          ],
          affinity_score: 1.5,
          affinity_parts: [
            {
              affinity_id: exampleIds.affinity,
              affinity_type: "mood",
              affinity_value: "calm",
              contribution: 1.5,
            },
          ],
          rank: 1_920,
          winning_rank: 1_800,
          summary: "The campaign would not serve, because 1 check fails: status.",
          bid_to_win_cents: null,
          session_counts_as_new: true,
        }),
      ],
      refusals: [
        missingField("game_context is required: it must be an object"),
        malformedField("game_context must be an object, but 7 was sent"),
        ...ownCampaignOnly,
        noRegisteredGame,
        notAllowedField("player_geo.lat must be a number from -90 to 90, but 91 was sent"),
      ],
    }),
  },
});
