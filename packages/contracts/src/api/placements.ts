import type { Static } from "typebox";
import {
  accountTooLarge,
  malformedField,
  missingName,
  notAllowedField,
  otherAccountsPlacement,
  ownGameOnly,
  responseOnlyField,
  tooMany,
} from "../definition/common-errors.ts";
import { CREATIVE_TYPES } from "../definition/enumerations.ts";
import { exampleIds } from "../definition/example-ids.ts";
import {
  answerText,
  closed,
  count,
  gameId,
  listOf,
  MAX_NAME_CHARACTERS,
  NOT_BLANK,
  nameText,
  oneOf,
  open,
  optional,
  timestamp,
} from "../definition/fields.ts";
import { created, defineFeature, noContent, ok, operation } from "../definition/operation.ts";
import Type from "../definition/type.ts";
import { patchReader, patchSchemaOf } from "../validation/response-only.ts";
import { validator, validatorWithoutNulls } from "../validation/validator.ts";

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
        maxLength: MAX_NAME_CHARACTERS,
        format: "advertiser-id",
        pattern: NOT_BLANK,
        description: "The identifier of an advertiser, adv_…, as a match names it. It need not exist.",
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

/** A check of a game's id, which errors call by this name: throws InvalidInput, or returns the id. */
export function gameIdCheck(name: string): (text: string) => string {
  const read = validatorWithoutNulls(open({ [name]: gameId() }));
  return (text) => {
    read({ [name]: text });
    return text;
  };
}
/** Validates the game id of a path; throws InvalidInput. */
export const gameIdParameter = gameIdCheck("game_id");

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

const placementPatchSchema = patchSchemaOf(placementChanges, placementSchema);
/** The body of PATCH /placements/{game_id}. */
export const placementPatch = patchReader(placementChanges, placementSchema, {
  is_active: "enable ads by POST /placements/{game_id}, disable them by DELETE /placements/{game_id}",
  creator_id: "name another by POST /placements/{game_id}",
});

const placementListSchema = Type.Array(placementSchema, { description: "Placements." });

const newPlacement = {
  creator_id: "studio-42",
  placement_types: ["narrative_hook", "product_mention"],
  revenue_share_pct: 70,
  max_ads_per_session: 10,
  blocked_advertisers: [],
  blocked_categories: ["gambling"],
};
const placement = {
  game_id: exampleIds.game,
  ...newPlacement,
  is_active: true,
  created_at: exampleIds.moment,
};
const typesMustBe = `placement_types must be a list of at least 1 and at most 100 entries, each one of ${CREATIVE_TYPES.join(", ")}`;
/** Maximum placements of one account, including disabled ones. */
export const MAX_PLACEMENTS = 10_000;
export const tooManyPlacements = tooMany(
  "account",
  MAX_PLACEMENTS,
  "placements",
  "change one that is no longer needed",
);
const common = { group: "management", scope: "developer" } as const;
const one = "/placements/{game_id}";

export const placementsApi = defineFeature({
  tag: "Placements",
  description: "Ads in the games of the key's account.",
  schemas: {
    Placement: placementSchema,
    NewPlacement: placementCreateSchema,
    PlacementChanges: placementPatchSchema,
  },
  operations: {
    list: operation("GET /placements", {
      ...common,
      operationId: "listPlacements",
      addition: true,
      summary: "List the placements",
      description:
        "The games of the key's account in order of creation, also those in which ads are disabled.",
      paged: true,
      success: [ok("The placements.", placementListSchema, [placement])],
      refusals: [],
    }),
    enable: operation(`POST ${one}`, {
      ...common,
      operationId: "enablePlacement",
      summary: "Enable ads in a game",
      description:
        "Creates, re-enables or changes. In a game that exists, optional fields left out keep their value, enabled or disabled, and `null` sets the default; defaults apply to a new game. It needs the scope `developer`, so a game server's key with `serving` alone cannot call it.",
      idempotent: true,
      request: { schema: placementCreateSchema, example: newPlacement },
      success: [created("The placement.", placementSchema, placement)],
      refusals: [
        missingName("creator_id"),
        malformedField(`${typesMustBe}, but "narrative_hook" was sent`),
        otherAccountsPlacement,
        notAllowedField(`${typesMustBe}, but a list of 0 entries was sent`),
        tooManyPlacements,
        accountTooLarge,
      ],
    }),
    show: operation(`GET ${one}`, {
      ...common,
      operationId: "getPlacement",
      summary: "Read a placement",
      description: "The configuration, also while ads are disabled.",
      success: [ok("The placement.", placementSchema, placement)],
      refusals: ownGameOnly,
    }),
    change: operation(`PATCH ${one}`, {
      ...common,
      operationId: "updatePlacement",
      summary: "Change a placement",
      description:
        "Changes the fields that the body contains, also while ads are disabled; `null` sets an optional field back to its default.",
      request: { schema: placementPatchSchema, example: { revenue_share_pct: 72.5, max_ads_per_session: 5 } },
      success: [
        ok("The changed placement.", placementSchema, {
          ...placement,
          revenue_share_pct: 72.5,
          max_ads_per_session: 5,
        }),
      ],
      refusals: [
        malformedField(`${typesMustBe}, but null was sent`),
        ...ownGameOnly,
        notAllowedField(
          "revenue_share_pct must be a number from 0 to 100 with at most two decimals, but 100.5 was sent",
        ),
        responseOnlyField(
          "is_active cannot be changed by PATCH: enable ads by POST /placements/{game_id}, disable them by DELETE /placements/{game_id}",
        ),
        accountTooLarge,
      ],
    }),
    disable: operation(`DELETE ${one}`, {
      ...common,
      operationId: "disablePlacement",
      summary: "Disable ads in a game",
      description:
        "Nothing is matched for the game after the answer; the configuration is kept. Ads that were matched before and are seen are still billed. Repeating it is no error.",
      success: [noContent("Ads are disabled.")],
      refusals: ownGameOnly,
    }),
  },
});
