import type { Static } from "typebox";
import { campaignParts } from "../definition/campaign-parts.ts";
import {
  malformedField,
  missingName,
  notAllowedField,
  ownCampaignOnly,
  publishedSizes,
  tooMany,
} from "../definition/common-errors.ts";
import { AFFINITY_TYPES } from "../definition/enumerations.ts";
import { exampleIds } from "../definition/example-ids.ts";
import {
  AFFINITY_WEIGHT,
  affinityWeight,
  answerText,
  closed,
  nameText,
  oneOf,
  open,
  optional,
  timestamp,
} from "../definition/fields.ts";
import { created, defineFeature, ok, operation, refusal } from "../definition/operation.ts";
import Type from "../definition/type.ts";
import { quoteValue } from "../validation/sentence.ts";
import { validatorWithoutNulls, type WithoutNulls } from "../validation/validator.ts";

/** Maximum affinities per campaign. */
export const MAX_AFFINITIES = 50;

const affinityType = () =>
  oneOf(
    AFFINITY_TYPES,
    "Which part of the scene the value is compared with; lighting, effects and camera are sought in the narrative.",
  );

export const affinityCreateSchema = open(
  {
    affinity_type: affinityType(),
    affinity_value: nameText(
      "The value that raises the score where the scene has it; free text. One of lighting, effects or camera has a letter or digit, since it is sought as whole words.",
    ),
    weight: optional(
      Type.Number({
        ...AFFINITY_WEIGHT,
        description: "What it adds to the score, from 0.1 (subtle) to 3.0 (strong).",
      }),
    ),
  },
  "A new affinity of a campaign.",
);
export type AffinityCreate = WithoutNulls<Static<typeof affinityCreateSchema>>;
/** The body of POST /campaigns/{id}/affinities. */
export const affinityCreate = validatorWithoutNulls(affinityCreateSchema);

const affinityBulkRequestSchema = open(
  {
    affinities: Type.Array(affinityCreateSchema, {
      maxItems: MAX_AFFINITIES,
      description: "All affinities that the campaign has from now on; of equal weights the earlier one wins.",
    }),
  },
  "Replaces all affinities of a campaign, or none when one of them is not valid.",
);
export type AffinityBulkRequest = WithoutNulls<Static<typeof affinityBulkRequestSchema>>;
/** The body of PUT /campaigns/{id}/affinities/bulk. */
export const affinityBulkRequest = validatorWithoutNulls(affinityBulkRequestSchema);

export const affinitySchema = closed(
  {
    id: answerText("The affinity, aff_…"),
    campaign_id: answerText("The campaign that it belongs to."),
    affinity_type: affinityType(),
    affinity_value: answerText("The value that raises the score, as it was given."),
    weight: affinityWeight("What it adds to the score, from 0.1 (subtle) to 3.0 (strong)."),
    created_at: timestamp("When the affinity was created."),
  },
  "A value that raises a campaign's score where the scene has it, and biases the rendering of the scene.",
);
export type AffinityBody = Static<typeof affinitySchema>;

const affinityListSchema = Type.Array(affinitySchema, {
  description: "The campaign's affinities in the order of their creation.",
});

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
export const affinityWithoutWord = refusal(
  400,
  "no_word",
  "The value is sought as whole words (lighting, effects, camera), and could never occur.",
  (field: string, type: string, value: string) =>
    `${field} of ${type === "effects" ? "an" : "a"} ${type} affinity must contain a letter or a digit, but ${quoteValue(value)} was sent`,
  "affinity_value",
  "lighting",
  "…",
);
export const repeatedAffinity = refusal(
  422,
  "repeated",
  "The same affinity, by type and value, would be there twice.",
  (index: number, first: number) =>
    `affinities[${index}] repeats affinities[${first}]: name each type and value once, with the weight that it should have`,
  1,
  0,
);
export const existingAffinity = refusal(
  422,
  "repeated",
  "The same affinity, by type and value, would be there twice.",
  (type: string, weight: number, id: string) =>
    `The campaign already has this ${type} affinity with weight ${weight}: delete ${id} first to change its weight.`,
  "mood",
  1.5,
  exampleIds.affinity,
);
export const tooManyAffinities = tooMany("campaign", MAX_AFFINITIES, "affinities", "delete one first");
export const noAffinity = refusal(
  404,
  "no_affinity",
  "The campaign has no such affinity.",
  "The campaign has no affinity of this id: GET /campaigns/{campaign_id}/affinities lists those it has.",
);
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
    replaceAll: operation(`PUT ${all}/bulk`, {
      ...common,
      operationId: "replaceAffinities",
      summary: "Replace all affinities of a campaign",
      description: `Deletes all affinities of the campaign and creates those of the list, at most ${MAX_AFFINITIES}, none of them twice; all of it or nothing.`,
      request: { schema: affinityBulkRequestSchema, example: { affinities: [newAffinity, warmLight] } },
      success: [
        ok("The new affinities in the order of the list.", affinityListSchema, [
          affinity,
          { ...affinity, id: exampleIds.secondAffinity, ...warmLight },
        ]),
      ],
      refusals: [
        missingName("affinities[1].affinity_value"),
        malformedField(
          'affinities must be a list of at most 50 entries, each an object, but "calm" was sent',
        ),
        affinityWithoutWord.withExample("affinities[1].affinity_value", "lighting", "…"),
        ...ownCampaignOnly,
        weightOutOfRange("affinities[0].weight"),
        refusal(
          422,
          "too_many",
          `The list has more than ${MAX_AFFINITIES} entries.`,
          "affinities must be a list of at most 50 entries, each an object, but a list of 51 entries was sent",
        ),
        ...publishedSizes,
        repeatedAffinity,
      ],
    }),
    create: operation(`POST ${all}`, {
      ...common,
      operationId: "createAffinity",
      summary: "Add an affinity to a campaign",
      description: `A campaign has at most ${MAX_AFFINITIES} affinities, and none of them twice: case and surrounding space of a value make no difference.`,
      idempotent: true,
      request: { schema: affinityCreateSchema, example: newAffinity },
      success: [created("The new affinity.", affinitySchema, affinity)],
      refusals: [
        missingName("affinity_value"),
        malformedField('weight must be a number from 0.1 to 3, but "strong" was sent'),
        affinityWithoutWord,
        ...ownCampaignOnly,
        weightOutOfRange("weight"),
        tooManyAffinities,
        ...publishedSizes,
        existingAffinity,
      ],
    }),
    ...campaignParts({
      path: all,
      parameter: "affinity_id",
      list: {
        operationId: "listAffinities",
        summary: "List the affinities of a campaign",
        answer: "The affinities.",
        schema: affinityListSchema,
        example: affinity,
      },
      remove: {
        operationId: "deleteAffinity",
        summary: "Delete an affinity",
        answer: "The affinity is deleted.",
        missing: noAffinity,
      },
    }),
  },
});
