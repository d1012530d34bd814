import { explainResponseSchema } from "../schemas/explain.ts";
import { matchRequestSchema } from "../schemas/match.ts";
import { malformedField, missingField, notAllowedField, ownCampaignOnly } from "./common-refusals.ts";
import { exampleIds } from "./example-ids.ts";
import { defineFeature, refusal } from "./operation.ts";

export const explainApi = defineFeature({
  tag: "Explanation",
  description: "Tells an advertiser rule by rule why a campaign would or would not serve a scene.",
  schemas: { Explanation: explainResponseSchema },
  operations: {
    explain: {
      group: "explain",
      scope: "advertiser",
      role: "viewer",
      operationId: "explainCampaign",
      method: "POST",
      path: "/campaigns/{campaign_id}/explain",
      addition: true,
      summary: "Explain why a campaign would or would not serve",
      description:
        "Takes the body of a match request for any registered game, and goes through every rule of matching in its order, on the same campaigns and placements as a match. It serves, holds and bills nothing. Unless the game belongs to the caller's account, the player session counts as new. At most 64 rivals are looked at.",
      request: {
        schema: matchRequestSchema,
        example: {
          game_id: exampleIds.game,
          user_id: "player-8812",
          game_context: { category: "fantasy", mood_tags: ["calm"], location: "tavern" },
        },
      },
      success: [
        {
          status: 200,
          description: "Every rule, the score and the rank.",
          schema: explainResponseSchema,
          example: {
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
          },
        },
      ],
      refusals: [
        missingField("game_context is required: it must be an object"),
        malformedField("game_context must be an object, but 7 was sent"),
        ...ownCampaignOnly,
        refusal(
          404,
          "no_game",
          "Ads were never enabled in the game.",
          "game_id names no registered game: send the game_id of a game whose developer has enabled ads",
        ),
        notAllowedField("player_geo.lat must be a number from -90 to 90, but 91 was sent"),
      ],
    },
  },
});
