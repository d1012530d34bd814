import Type, { type Static } from "typebox";
import type { AffinityType } from "../snapshot.ts";
import { createValidator, type WithoutNulls } from "../validation/validator.ts";
import { answerText, closed, nameText, oneOf, open, optional, timestamp } from "./fields.ts";

export const AFFINITY_TYPES = [
  "action",
  "location",
  "theme",
  "mood",
  "category",
  "lighting",
  "effects",
  "camera",
] as const satisfies readonly AffinityType[];

/** Bounds and default of an affinity's weight (spec: Limits). */
export const AFFINITY_WEIGHT = { minimum: 0.1, maximum: 3, default: 1 };
/** Maximum affinities per campaign (spec: Affinity). */
export const MAX_AFFINITIES = 50;

const affinityType = () =>
  oneOf(
    AFFINITY_TYPES,
    "What of the scene the value is compared with; lighting, effects and camera are sought in the narrative.",
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
export const affinityCreate = createValidator(affinityCreateSchema);

export const affinityBulkRequestSchema = open(
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
export const affinityBulkRequest = createValidator(affinityBulkRequestSchema);

export const affinitySchema = closed(
  {
    id: answerText("The affinity, aff_…"),
    campaign_id: answerText("The campaign that it belongs to."),
    affinity_type: affinityType(),
    affinity_value: answerText("The value that raises the score, as it was given."),
    weight: Type.Number({
      minimum: AFFINITY_WEIGHT.minimum,
      maximum: AFFINITY_WEIGHT.maximum,
      description: "What it adds to the score, from 0.1 (subtle) to 3.0 (strong).",
    }),
    created_at: timestamp("When the affinity was created."),
  },
  "A value that raises a campaign's score where the scene has it, and biases the rendering of the scene.",
);
export type AffinityBody = Static<typeof affinitySchema>;

export const affinityListSchema = Type.Array(affinitySchema, {
  description: "The campaign's affinities in the order of their creation.",
});
