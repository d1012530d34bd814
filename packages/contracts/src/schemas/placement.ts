import Type, { type Static } from "typebox";
import { patchReader, patchSchemaOf } from "../validation/response-only.ts";
import { createValidator, validator } from "../validation/validator.ts";
import {
  answerText,
  CREATIVE_TYPES,
  closed,
  count,
  gameId,
  listOf,
  NAME_CHARACTERS,
  NOT_BLANK,
  nameText,
  oneOf,
  open,
  optional,
  timestamp,
} from "./fields.ts";

/** Bounds and default of max_ads_per_session (spec: Limits). */
export const MAX_ADS_PER_SESSION = { minimum: 1, maximum: 50, default: 10 };
/** The developer's default share, in percent (docs/behaviour.md#revenue-share). */
export const DEFAULT_REVENUE_SHARE_PCT = 70;

const placementTypes = () =>
  listOf(oneOf(CREATIVE_TYPES, "A creative type."), "The creative types that the game accepts.", 1);

const optionalFields = {
  revenue_share_pct: optional(
    Type.Number({
      minimum: 0,
      maximum: 100,
      multipleOf: 0.01,
      default: DEFAULT_REVENUE_SHARE_PCT,
      description: "The developer's share of each charge, in percent.",
    }),
  ),
  max_ads_per_session: optional(
    Type.Integer({ ...MAX_ADS_PER_SESSION, description: "How many ads one player session may see." }),
  ),
  blocked_advertisers: optional(
    listOf(
      Type.String({
        minLength: 1,
        maxLength: NAME_CHARACTERS,
        format: "advertiser-id",
        pattern: NOT_BLANK,
        description:
          "The identifier of an advertiser, adv_…, as a match names it. Whether there is such an advertiser is not asked.",
      }),
      "Advertisers that are never shown in the game.",
    ),
  ),
  blocked_categories: optional(
    listOf(
      nameText("A category."),
      "Categories of advertising that are never shown in the game: compared with the target_categories and the affinities to a category of each campaign, without regard to case and surrounding space.",
    ),
  ),
};

export const placementCreateSchema = open(
  {
    creator_id: nameText("The developer's own user ID; stored as given."),
    placement_types: placementTypes(),
    ...optionalFields,
  },
  "Enables ads in a game. In a game that exists, optional fields left out keep their value and `null` sets the default.",
);
export type PlacementCreate = Static<typeof placementCreateSchema>;
/** The body of POST /placements/{game_id}: null sets the default, unlike an absent field. */
export const placementCreate = validator(placementCreateSchema);

const placementChanges = open(
  { placement_types: Type.Optional(placementTypes()), ...optionalFields },
  "Changes the fields that it contains; null sets an optional field back to its default.",
);
export type PlacementPatch = Static<typeof placementChanges>;

const readGame = createValidator(open({ game_id: gameId() }));
/** Validates the game id of a path; throws InvalidInput. */
export function gameIdParameter(text: string): string {
  return readGame({ game_id: text }).game_id;
}

export const placementSchema = closed(
  {
    game_id: answerText("The developer's own identifier of the game."),
    creator_id: answerText("The developer's own user ID, as it was given."),
    placement_types: Type.Array(oneOf(CREATIVE_TYPES, "A creative type."), {
      description: "The creative types that the game accepts.",
    }),
    revenue_share_pct: Type.Number({
      minimum: 0,
      maximum: 100,
      description: "The developer's share, in percent.",
    }),
    max_ads_per_session: count("How many ads one player session may see, 1 to 50."),
    blocked_advertisers: Type.Array(answerText("An advertiser's identifier."), {
      description: "Advertisers that are never shown in the game.",
    }),
    blocked_categories: Type.Array(answerText("A category."), {
      description: "Categories of advertising that are never shown in the game.",
    }),
    is_active: Type.Boolean({ description: "Whether the game receives ads." }),
    created_at: timestamp("When the placement was first created."),
  },
  "Ads in a game.",
);
export type PlacementBody = Static<typeof placementSchema>;

export const placementPatchSchema = patchSchemaOf(placementChanges, placementSchema);
/** The body of PATCH /placements/{game_id}. */
export const placementPatch = patchReader(placementChanges, placementSchema, {
  is_active: "enable ads by POST /placements/{game_id}, disable them by DELETE /placements/{game_id}",
  creator_id: "name another by POST /placements/{game_id}",
});

export const placementListSchema = Type.Array(placementSchema, { description: "Placements." });
