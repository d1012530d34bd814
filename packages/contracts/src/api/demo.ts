import { answerText, closed, count, microcents, millicents } from "../definition/fields.ts";
import { defineFeature, ok, operation, refusal } from "../definition/operation.ts";
import Type from "../definition/type.ts";

const demoSchema = closed(
  {
    game_id: answerText("The demo game."),
    api_key: answerText(
      "A key that may call POST /match and POST /impressions for the games of the demo account.",
    ),
    balance_millicents: Type.Integer({
      description: "What the demo advertiser can still hold, in millicents, exact: deposits − held − spent.",
    }),
    held_millicents: millicents("What open matches of the demo advertiser hold now."),
    spent_millicents: millicents("Cost of the demo advertiser's impressions."),
    impressions: count("Impressions of the demo advertiser."),
    earned_microcents: microcents("Earnings of the demo game."),
  },
  "The demo game, and the money of the demo account now.",
);

export const noDemo = refusal(
  404,
  "no_demo",
  "The installation was started without demo data.",
  "This installation has no demo game: start it with DEMO=1.",
);

export const demoApi = defineFeature({
  tag: "Demo",
  description: "Data of the demo game at /play.",
  schemas: { Demo: demoSchema },
  operations: {
    show: operation("GET /demo", {
      operationId: "showDemo",
      group: "management",
      scope: [],
      callers: "anyone",
      addition: true,
      summary: "Show the demo game",
      description:
        "The demo game with a key that may only serve it, and the exact money of the demo account. An impression that got its 201 is counted.",
      success: [
        ok("The demo game.", demoSchema, {
          game_id: "moonlit-keep-demo",
          api_key: "igk_ZGlzcGxheWVkLW9ubHktaW4tdGhlLWRvY3VtZW50",
          balance_millicents: 999_998_000,
          held_millicents: 500,
          spent_millicents: 1_500,
          impressions: 3,
          earned_microcents: 1_050_000,
        }),
      ],
      refusals: [noDemo],
    }),
  },
});
