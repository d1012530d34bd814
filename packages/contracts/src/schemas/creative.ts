import Type, { type Static } from "typebox";
import { InvalidInput } from "../validation/invalid-input.ts";
import { patchReader, patchSchemaOf } from "../validation/response-only.ts";
import { createValidator, type WithoutNulls } from "../validation/validator.ts";
import {
  answerText,
  CREATIVE_TYPES,
  closed,
  count,
  listOf,
  longText,
  nameText,
  nullable,
  oneOf,
  open,
  optional,
  TONES,
  timestamp,
} from "./fields.ts";

/** Bounds and default of max_uses_per_game (spec: Limits). */
export const MAX_USES_PER_GAME = { minimum: 1, maximum: 20, default: 3 };
/** Default tone of a creative (spec: Creative). */
export const DEFAULT_TONE = "neutral";

const optionalFields = {
  product_name: optional(nameText("The product.")),
  tagline: optional(longText("The tagline.")),
  narrative_hook: optional(
    longText("The text injected into the game; required for a creative of type narrative_hook."),
  ),
  alt_hooks: optional(listOf(longText("A hook."), "Alternative hooks; they rotate with narrative_hook.")),
  tone: optional(oneOf(TONES, "The tone of the line.", DEFAULT_TONE)),
  max_uses_per_game: optional(
    Type.Integer({
      ...MAX_USES_PER_GAME,
      description: "How often the creative may appear in one game session.",
    }),
  ),
};

export const creativeCreateSchema = open(
  {
    creative_type: oneOf(CREATIVE_TYPES, "How the creative appears; it cannot be changed later."),
    brand_name: nameText("The brand."),
    ...optionalFields,
  },
  "A new creative of a campaign.",
);
export type CreativeCreate = WithoutNulls<Static<typeof creativeCreateSchema>>;
/** The body of POST /campaigns/{id}/creatives. */
export const creativeCreate = createValidator(creativeCreateSchema, (creative) =>
  creative.creative_type === "narrative_hook" && creative.narrative_hook === undefined
    ? new InvalidInput(
        400,
        "narrative_hook is required when creative_type is narrative_hook: it must be text",
      )
    : undefined,
);

const creativeChanges = open(
  { brand_name: Type.Optional(nameText("The brand.")), ...optionalFields },
  "Changes the fields that it contains; null clears an optional field or sets it back to its default.",
);
export type CreativePatch = Static<typeof creativeChanges>;

export const creativeSchema = closed(
  {
    id: answerText("The creative, crt_…"),
    campaign_id: answerText("The campaign that it belongs to."),
    creative_type: oneOf(CREATIVE_TYPES, "How the creative appears."),
    brand_name: answerText("The brand."),
    product_name: nullable(answerText("The product; null without one.")),
    tagline: nullable(answerText("The tagline; null without one.")),
    narrative_hook: nullable(answerText("The text injected into the game; null without one.")),
    alt_hooks: Type.Array(answerText("A hook."), {
      description: "Alternative hooks; they rotate with narrative_hook.",
    }),
    tone: oneOf(TONES, "The tone of the line."),
    max_uses_per_game: count("How often the creative may appear in one game session, 1 to 20."),
    impressions: count("How often it was seen."),
    created_at: timestamp("When the creative was created."),
  },
  "A creative.",
);
export type CreativeBody = Static<typeof creativeSchema>;

/** creative_type has its own rule. */
const withoutType = Type.Omit(creativeSchema, ["creative_type"]);
export const creativePatchSchema = patchSchemaOf(creativeChanges, withoutType);
const readCreativePatch = patchReader(creativeChanges, withoutType, {
  campaign_id: "create another creative by POST /campaigns/{campaign_id}/creatives",
  impressions: "it counts the impressions that were recorded",
});
/** The body of PATCH /creatives/{id}; throws InvalidInput, with 422 for creative_type, whatever its value. */
export function creativePatch(body: unknown, current: CreativeBody): CreativePatch {
  if (typeof body === "object" && body !== null && Object.hasOwn(body, "creative_type")) {
    throw new InvalidInput(422, "creative_type cannot be changed: create another creative of that type");
  }
  return readCreativePatch(body, current);
}

export const creativeListSchema = Type.Array(creativeSchema, {
  description: "The campaign's creatives in the order of their creation.",
});
