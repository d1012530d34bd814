import Type, { type Static } from "typebox";
import { answerText, closed, count, microcents, millicents } from "./fields.ts";

export const demoSchema = closed(
  {
    game_id: answerText("The demo game."),
    api_key: answerText(
      "A key that may call POST /match and POST /impressions for the games of the demo account.",
    ),
    balance_millicents: Type.Integer({
      description: "The demo advertiser's balance, including open holds. In millicents, exact.",
    }),
    spent_millicents: millicents("Cost of the demo advertiser's impressions."),
    impressions: count("Impressions of the demo advertiser."),
    earned_microcents: microcents("Earnings of the demo game."),
  },
  "The demo game, and the money of the demo account now.",
);
export type DemoBody = Static<typeof demoSchema>;
