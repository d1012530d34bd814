import type { Static } from "typebox";
import {
  belongsToAnother,
  malformedField,
  malformedName,
  missingName,
  notAllowedField,
  ownCampaignOnly,
  publishedSizes,
  registerFirst,
  responseOnlyField,
  thingNotFound,
  tooMany,
} from "../definition/common-errors.ts";
import { neededWhere } from "../definition/conditions.ts";
import { CREATIVE_TYPES, TONES } from "../definition/enumerations.ts";
import { exampleIds } from "../definition/example-ids.ts";
import {
  answerText,
  closed,
  count,
  listOf,
  longText,
  nameText,
  nullable,
  oneOf,
  open,
  optional,
  timestamp,
} from "../definition/fields.ts";
import { created, defineFeature, noContent, ok, operation, refusal } from "../definition/operation.ts";
import Type from "../definition/type.ts";
import { patchReader, patchSchemaOf } from "../validation/response-only.ts";
import { validatorWithoutNulls, type WithoutNulls } from "../validation/validator.ts";

export const MAX_USES_PER_GAME = { minimum: 1, maximum: 20, default: 3 };
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

/** Maximum UTF-8 bytes of all texts of one creative. */
export const MAX_CREATIVE_TEXT_BYTES = 16 * 1_024;
/** The rest of the sentence names what was sent, where the body has the field. */
export const withoutHook = refusal(
  400,
  "hook_missing",
  "A creative of type narrative_hook would have no narrative_hook.",
  (sent: string) => `narrative_hook is required when creative_type is narrative_hook: it must be text${sent}`,
  "",
);
const typeFixed = refusal(
  422,
  "type_fixed",
  "The body names a creative_type.",
  "creative_type cannot be changed: create another creative of that type",
);

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
export const creativeCreate = validatorWithoutNulls(creativeCreateSchema, (creative) => {
  const needsHook = creative.creative_type === "narrative_hook";
  if (needsHook && creative.narrative_hook === undefined) throw withoutHook.error("");
});

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
const creativePatchSchema = patchSchemaOf(creativeChanges, withoutType);
const readCreativePatch = patchReader(creativeChanges, withoutType, {
  campaign_id: "create another creative by POST /campaigns/{campaign_id}/creatives",
  impressions: "it counts the impressions that were recorded",
});
/** The body of PATCH /creatives/{id}; throws InvalidInput, with 422 for creative_type, whatever its value. */
export function creativePatch(body: unknown, current: CreativeBody): CreativePatch {
  if (typeof body === "object" && body !== null && Object.hasOwn(body, "creative_type")) {
    throw typeFixed.error();
  }
  return readCreativePatch(body, current);
}

const creativeListSchema = Type.Array(creativeSchema, {
  description: "The campaign's creatives in the order of their creation.",
});

/** Maximum creatives per campaign. */
export const MAX_CREATIVES = 100;
/** How long a deleted creative without impressions is kept: a match may still show it, and billing may be behind. */
export const DELETED_CREATIVE_KEPT_DAYS = 30;
/** Maximum creatives per campaign, those included that were deleted but are kept. */
export const MAX_STORED_CREATIVES = 10_000;
const newCreative = {
  creative_type: "narrative_hook",
  brand_name: "Emberroast",
  product_name: "Dark No. 7",
  tagline: "Keeps the night awake.",
  narrative_hook: "The innkeeper sets down a steaming cup of Emberroast and nods toward the fire.",
  alt_hooks: ["The kettle sings, and the smell of Emberroast fills the hall."],
  tone: "positive",
  max_uses_per_game: 3,
};
const creative = {
  id: exampleIds.creative,
  campaign_id: exampleIds.campaign,
  ...newCreative,
  impressions: 0,
  created_at: exampleIds.moment,
};
const all = "/campaigns/{campaign_id}/creatives";
export const otherAdvertisersCreative = belongsToAnother("advertiser", "creative", all);
export const noCreative = thingNotFound("no_creative", "Creative", all);
export const tooManyCreatives = tooMany("campaign", MAX_CREATIVES, "creatives", "delete one first");
export const tooManyDeletedCreatives = refusal(
  422,
  "too_many_deleted",
  `The campaign has ${MAX_STORED_CREATIVES} creatives, deleted ones included.`,
  `A campaign has at most ${MAX_STORED_CREATIVES} creatives. Deleted ones count for ${DELETED_CREATIVE_KEPT_DAYS} days, and for ever once a player saw them: use another campaign, or change a creative instead of deleting it.`,
);
export const lastCreative = refusal(
  409,
  "last_creative",
  "It is the last creative of an active campaign.",
  "This is the last creative of an active campaign: pause the campaign or create another creative first.",
);
const ownCreativeOnly = [registerFirst, otherAdvertisersCreative, noCreative] as const;
const tooManyUses = notAllowedField("max_uses_per_game must be a whole number from 1 to 20, but 21 was sent");
export const tooMuchText = refusal(
  422,
  "too_much_text",
  "All texts of the creative together have more than 16 KiB.",
  `The texts of a creative have at most ${MAX_CREATIVE_TEXT_BYTES} bytes in UTF-8 (16 KiB) together: shorten them, or leave out some alt_hooks.`,
);
const common = { group: "management", scope: "advertiser" } as const;

export const creativesApi = defineFeature({
  tag: "Creatives",
  description: "What a game shows of a campaign.",
  schemas: {
    Creative: creativeSchema,
    NewCreative: creativeCreateSchema,
    CreativeChanges: creativePatchSchema,
  },
  conditions: {
    NewCreative: [
      neededWhere(creativeCreateSchema.properties, "creative_type", "narrative_hook", ["narrative_hook"]),
    ],
  },
  operations: {
    create: operation(`POST ${all}`, {
      ...common,
      operationId: "createCreative",
      summary: "Add a creative to a campaign",
      description: `A campaign has at most ${MAX_CREATIVES} creatives. All texts of a creative together have at most 16 KiB, and a campaign as published has at most 256 KiB.`,
      idempotent: true,
      request: { schema: creativeCreateSchema, example: newCreative },
      success: [created("The new creative.", creativeSchema, creative)],
      refusals: [
        missingName("brand_name"),
        malformedField(
          "alt_hooks must be a list of at most 100 entries, each text of at most 2000 characters that is not blank, but 7 was sent",
        ),
        withoutHook,
        ...ownCampaignOnly,
        tooManyUses,
        tooManyCreatives,
        tooManyDeletedCreatives,
        tooMuchText,
        ...publishedSizes,
      ],
    }),
    list: operation(`GET ${all}`, {
      ...common,
      operationId: "listCreatives",
      summary: "List the creatives of a campaign",
      description: "In the order of their creation.",
      paged: true,
      success: [ok("The creatives.", creativeListSchema, [creative])],
      refusals: ownCampaignOnly,
    }),
    change: operation("PATCH /creatives/{creative_id}", {
      ...common,
      operationId: "updateCreative",
      summary: "Change a creative",
      description:
        "Changes the fields that the body contains; `null` clears an optional field or sets it back to its default. The type cannot be changed.",
      request: { schema: creativePatchSchema, example: { tone: "humorous", tagline: null } },
      success: [
        ok("The changed creative.", creativeSchema, {
          ...creative,
          tone: "humorous",
          tagline: null,
          impressions: 1,
        }),
      ],
      refusals: [
        malformedName("brand_name", "null"),
        withoutHook.withExample(", but null was sent"),
        ...ownCreativeOnly,
        tooManyUses,
        typeFixed,
        responseOnlyField(
          "impressions cannot be changed by PATCH: it counts the impressions that were recorded",
        ),
        tooMuchText,
        ...publishedSizes,
      ],
    }),
    remove: operation("DELETE /creatives/{creative_id}", {
      ...common,
      operationId: "deleteCreative",
      summary: "Delete a creative",
      description: "Ads of it that were matched before and are seen are still billed.",
      success: [noContent("The creative is deleted.")],
      refusals: [...ownCreativeOnly, lastCreative],
    }),
  },
});
