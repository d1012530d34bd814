import Type, { type Static } from "typebox";
import { AFFINITY_TYPES } from "./affinity.ts";
import { answerText, closed, nullable, oneOf } from "./fields.ts";

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

export const explainResponseSchema = closed(
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
          affinity_type: oneOf(AFFINITY_TYPES, "What of the scene the value is compared with."),
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
          "The best rank among the other candidates; null when there is none. When none of the 64 highest can serve, the lowest of them.",
      }),
    ),
    summary: answerText("One sentence: why the campaign would or would not serve."),
    bid_to_win_cents: nullable(
      Type.Integer({
        minimum: 100,
        maximum: 10_000,
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
