import {
  SIMULATOR_MOODS,
  simulateOptionsSchema,
  simulateRequestSchema,
  simulateResponseSchema,
} from "../schemas/simulator.ts";
import { malformedField, notAllowedField, ownCampaignOnly } from "./common-refusals.ts";
import { exampleIds } from "./example-ids.ts";
import { defineFeature, refusal } from "./operation.ts";

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
    simulate: {
      ...common,
      role: "viewer",
      operationId: "simulateCampaign",
      method: "POST",
      path,
      summary: "Try a campaign in a scene",
      description: "Works in every status of the campaign, with its own creatives and affinities.",
      request: {
        schema: simulateRequestSchema,
        example: { narrative_function: "A quiet evening in the tavern", mood: "calm" },
        optional: true,
      },
      success: [
        {
          status: 200,
          description: "What the campaign would bring into the scene.",
          schema: simulateResponseSchema,
          example: {
            campaign_id: exampleIds.campaign,
            matched_creative: {
              id: exampleIds.creative,
              narrative_hook:
                "The innkeeper sets down a steaming cup of Emberroast and nods toward the fire.",
              creative_type: "narrative_hook",
            },
            biased_pipeline: { mood: "calm", lighting: "warm" },
            affinity_scores: { mood: 1.5, lighting: 0 },
            total_score: 1.5,
          },
        },
      ],
      refusals: [
        malformedField("mood must be text of at most 200 characters that is not blank, but 7 was sent"),
        ...ownCampaignOnly,
        refusal(
          409,
          "no_creative",
          "The campaign has no creative.",
          "The campaign has no creative: create one by POST /campaigns/{campaign_id}/creatives first.",
        ),
        notAllowedField(
          "mood must be text of at most 200 characters that is not blank, but a text of 240 characters was sent",
        ),
      ],
    },
    options: {
      ...common,
      operationId: "getSimulatorOptions",
      method: "GET",
      path: `${path}/options`,
      summary: "What can be tried in the simulator",
      description: "Moods and texts to try, and the affinities that the campaign has.",
      success: [
        {
          status: 200,
          description: "The options.",
          schema: simulateOptionsSchema,
          example: {
            moods: [...SIMULATOR_MOODS],
            narrative_examples: ["A quiet evening in the tavern"],
            current_affinities: [{ affinity_type: "mood", affinity_value: "calm", weight: 1.5 }],
          },
        },
      ],
      refusals: ownCampaignOnly,
    },
  },
});
