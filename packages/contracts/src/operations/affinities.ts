import {
  affinityBulkRequestSchema,
  affinityCreateSchema,
  affinityListSchema,
  affinitySchema,
} from "../schemas/affinity.ts";
import {
  campaignTooLarge,
  malformedField,
  missingField,
  notAllowedField,
  ownCampaignOnly,
} from "./common-refusals.ts";
import { exampleIds } from "./example-ids.ts";
import { defineFeature, refusal } from "./operation.ts";

const newAffinity = { affinity_type: "mood", affinity_value: "calm", weight: 1.5 };
const affinity = {
  id: exampleIds.affinity,
  campaign_id: exampleIds.campaign,
  ...newAffinity,
  created_at: exampleIds.moment,
};
const warmLight = { affinity_type: "lighting", affinity_value: "warm", weight: 1 };
const weightOutOfRange = (field: string) =>
  notAllowedField(`${field} must be a number from 0.1 to 3, but 3.5 was sent`);
const withoutWord = (field: string) =>
  refusal(
    400,
    "no_word",
    "The value is sought as whole words (lighting, effects, camera), and could never occur.",
    `${field} of a lighting affinity must contain a letter or a digit, but "…" was sent`,
  );
const repeated = (detail: string) =>
  refusal(422, "repeated", "The same affinity, by type and value, would be there twice.", detail);
const common = { group: "management", scope: "advertiser" } as const;
const all = "/campaigns/{campaign_id}/affinities";

export const affinitiesApi = defineFeature({
  tag: "Affinities",
  description:
    "What raises the score of a campaign in a scene, and biases how the scene is rendered when the campaign is chosen.",
  schemas: {
    Affinity: affinitySchema,
    NewAffinity: affinityCreateSchema,
    NewAffinities: affinityBulkRequestSchema,
  },
  operations: {
    // Registered before the path of one affinity, which would match "bulk" as an identifier.
    replaceAll: {
      ...common,
      operationId: "replaceAffinities",
      method: "PUT",
      path: `${all}/bulk`,
      summary: "Replace all affinities of a campaign",
      description:
        "Deletes all affinities of the campaign and creates those of the list, at most 50, none of them twice; all of it or nothing.",
      request: { schema: affinityBulkRequestSchema, example: { affinities: [newAffinity, warmLight] } },
      success: [
        {
          status: 200,
          description: "The new affinities in the order of the list.",
          schema: affinityListSchema,
          example: [affinity, { ...affinity, id: exampleIds.secondAffinity, ...warmLight }],
        },
      ],
      refusals: [
        missingField(
          "affinities[1].affinity_value is required: it must be text of at most 200 characters that is not blank",
        ),
        malformedField(
          'affinities must be a list of at most 50 entries, each an object, but "calm" was sent',
        ),
        withoutWord("affinities[1].affinity_value"),
        ...ownCampaignOnly,
        weightOutOfRange("affinities[0].weight"),
        refusal(
          422,
          "too_many",
          "The list has more than 50 entries.",
          "affinities must be a list of at most 50 entries, each an object, but a list of 51 entries was sent",
        ),
        ...campaignTooLarge,
        repeated(
          "affinities[1] repeats affinities[0]: name each type and value once, with the weight that it should have",
        ),
      ],
    },
    create: {
      ...common,
      operationId: "createAffinity",
      method: "POST",
      path: all,
      summary: "Add an affinity to a campaign",
      description:
        "A campaign has at most 50 affinities, and none of them twice: case and surrounding space of a value make no difference.",
      idempotent: true,
      request: { schema: affinityCreateSchema, example: newAffinity },
      success: [{ status: 201, description: "The new affinity.", schema: affinitySchema, example: affinity }],
      refusals: [
        missingField(
          "affinity_value is required: it must be text of at most 200 characters that is not blank",
        ),
        malformedField('weight must be a number from 0.1 to 3, but "strong" was sent'),
        withoutWord("affinity_value"),
        ...ownCampaignOnly,
        weightOutOfRange("weight"),
        refusal(
          422,
          "too_many",
          "The campaign has 50 affinities.",
          "A campaign has at most 50 affinities: delete one first.",
        ),
        ...campaignTooLarge,
        repeated(
          `The campaign already has this mood affinity with weight 1.5: delete ${exampleIds.affinity} first to change its weight.`,
        ),
      ],
    },
    list: {
      ...common,
      operationId: "listAffinities",
      method: "GET",
      path: all,
      summary: "List the affinities of a campaign",
      description: "In the order of their creation.",
      paged: true,
      success: [
        { status: 200, description: "The affinities.", schema: affinityListSchema, example: [affinity] },
      ],
      refusals: ownCampaignOnly,
    },
    remove: {
      ...common,
      operationId: "deleteAffinity",
      method: "DELETE",
      path: `${all}/{affinity_id}`,
      summary: "Delete an affinity",
      description: "Matches after the answer ignore it.",
      success: [{ status: 204, description: "The affinity is deleted." }],
      refusals: [
        ...ownCampaignOnly,
        refusal(
          404,
          "no_affinity",
          "The campaign has no such affinity.",
          "The campaign has no affinity of this id: GET /campaigns/{campaign_id}/affinities lists those it has.",
        ),
      ],
    },
  },
});
