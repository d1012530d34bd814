import type { Static } from "typebox";
import { malformedName, nameTooLong, ownCampaignOnly } from "../definition/common-errors.ts";
import { AFFINITY_TYPES, CREATIVE_TYPES } from "../definition/enumerations.ts";
import { exampleIds } from "../definition/example-ids.ts";
import {
  affinityWeight,
  answerText,
  closed,
  longText,
  nameText,
  oneOf,
  open,
  optional,
} from "../definition/fields.ts";
import { defineFeature, ok, operation } from "../definition/operation.ts";
import Type from "../definition/type.ts";
import { validatorWithoutNulls } from "../validation/validator.ts";
import { withoutCreative } from "./campaigns.ts";
import { biasedPipelineSchema } from "./serving.ts";

/** The moods that the simulator proposes; others are allowed. */
export const SIMULATOR_MOODS = [
  "tense",
  "hopeful",
  "dramatic",
  "calm",
  "chaotic",
  "mysterious",
  "humorous",
  "melancholic",
] as const;

const simulateRequestSchema = open(
  {
    narrative_function: optional(
      longText("What the scene is about; taken as its narrative, theme, location and action."),
    ),
    mood: optional(nameText("The mood of the scene: one of the proposed moods or any other.")),
  },
  "A scene to try the campaign in.",
);
/** The body of POST /campaigns/{id}/simulate. */
export const simulateRequest = validatorWithoutNulls(simulateRequestSchema);

export const simulateResponseSchema = closed(
  {
    campaign_id: answerText("The campaign."),
    matched_creative: closed(
      {
        id: answerText("The creative, crt_…"),
        narrative_hook: answerText("The line that a new player session would read first: never empty."),
        creative_type: oneOf(CREATIVE_TYPES, "How the creative appears."),
      },
      "The creative that a new player session would see first.",
    ),
    biased_pipeline: biasedPipelineSchema,
    affinity_scores: Type.Record(Type.String(), Type.Number({ minimum: 0 }), {
      description:
        "For each affinity type that the campaign has, the sum of what its affinities contribute; 0 where none does.",
    }),
    total_score: Type.Number({
      minimum: 0,
      description: "The sum of affinity_scores: the affinity score that a match in this scene would have.",
    }),
  },
  "What the campaign would bring into the scene. Nothing was held, counted or billed.",
);
export type SimulateResponse = Static<typeof simulateResponseSchema>;

export const simulateOptionsSchema = closed(
  {
    moods: Type.Array(answerText("A mood."), { description: "Moods to try; others are allowed." }),
    narrative_examples: Type.Array(answerText("A text for narrative_function."), {
      description:
        "Texts to try as narrative_function; those that the campaign's affinities answer to come first.",
    }),
    current_affinities: Type.Array(
      closed(
        {
          affinity_type: oneOf(AFFINITY_TYPES, "Which part of the scene the value is compared with."),
          affinity_value: answerText("The value that raises the score."),
          weight: affinityWeight("What it adds to the score."),
        },
        "An affinity of the campaign.",
      ),
      { description: "The campaign's affinities in the order of their creation." },
    ),
  },
  "What can be tried in the simulator.",
);
export type SimulateOptions = Static<typeof simulateOptionsSchema>;

const common = { group: "management", scope: "advertiser" } as const;
const path = "/campaigns/{campaign_id}/simulate";

export const simulatorApi = defineFeature({
  tag: "Simulator",
  description:
    "Previews what a campaign brings into a scene, in every status and by the scoring of real matches. Nothing is held, counted or billed.",
  schemas: {
    Simulation: simulateRequestSchema,
    SimulationResult: simulateResponseSchema,
    SimulationOptions: simulateOptionsSchema,
  },
  operations: {
    simulate: operation(`POST ${path}`, {
      ...common,
      role: "viewer",
      operationId: "simulateCampaign",
      summary: "Try a campaign in a scene",
      description: "Works in every status of the campaign, with its own creatives and affinities.",
      request: {
        schema: simulateRequestSchema,
        example: { narrative_function: "A quiet evening in the tavern", mood: "calm" },
        optional: true,
      },
      success: [
        ok("What the campaign would bring into the scene.", simulateResponseSchema, {
          campaign_id: exampleIds.campaign,
          matched_creative: {
            id: exampleIds.creative,
            narrative_hook: "The innkeeper sets down a steaming cup of Emberroast and nods toward the fire.",
            creative_type: "narrative_hook",
          },
          biased_pipeline: { mood: "calm", lighting: "warm" },
          affinity_scores: { mood: 1.5, lighting: 0 },
          total_score: 1.5,
        }),
      ],
      refusals: [malformedName("mood"), ...ownCampaignOnly, withoutCreative, nameTooLong("mood")],
    }),
    options: operation(`GET ${path}/options`, {
      ...common,
      operationId: "getSimulatorOptions",
      summary: "What can be tried in the simulator",
      description: "Moods and texts to try, and the affinities that the campaign has.",
      success: [
        ok("The options.", simulateOptionsSchema, {
          moods: [...SIMULATOR_MOODS],
          narrative_examples: ["A quiet evening in the tavern"],
          current_affinities: [{ affinity_type: "mood", affinity_value: "calm", weight: 1.5 }],
        }),
      ],
      refusals: ownCampaignOnly,
    }),
  },
});
