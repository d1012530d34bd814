import Type, { type Static } from "typebox";
import { createValidator, type WithoutNulls } from "../validation/validator.ts";
import { answerText, closed, gameId, nameText, open, optional, timestamp } from "./fields.ts";

export const impressionRequestSchema = open(
  {
    campaign_id: nameText("The campaign of the match."),
    creative_id: nameText("The creative of the match."),
    game_id: gameId(),
    match_id: optional(
      nameText("The match that was seen; without it the oldest unbilled one of this creative in this game."),
    ),
  },
  "Records that a player has seen a matched ad: the billing event.",
);

/** The body of POST /impressions. */
export type ImpressionRequest = WithoutNulls<Static<typeof impressionRequestSchema>>;

/** Validates the body of POST /impressions; throws InvalidInput. */
export const impressionRequest = createValidator(impressionRequestSchema);

export const impressionResponseSchema = closed(
  {
    impression_id: answerText("The impression."),
    campaign_id: answerText("The campaign that was charged."),
    creative_id: answerText("The creative that was seen."),
    game_id: answerText("The game in which it was seen."),
    charged_cents: Type.Number({
      minimum: 0,
      description: "The charge, in cents; exact, can be fractional.",
    }),
    recorded_at: timestamp("When it was recorded."),
  },
  "A billed impression.",
);
export type ImpressionResponse = Static<typeof impressionResponseSchema>;
