import {
  placementCreateSchema,
  placementListSchema,
  placementPatchSchema,
  placementSchema,
} from "../schemas/placement.ts";
import {
  accountTooLarge,
  malformedField,
  missingField,
  notAllowedField,
  ownGameOnly,
  responseOnlyField,
} from "./common-refusals.ts";
import { exampleIds } from "./example-ids.ts";
import { defineFeature, refusal } from "./operation.ts";

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
const [otherAccount] = ownGameOnly;
const emptyTypes = notAllowedField(
  "placement_types must be a list of at least 1 and at most 100 entries, each one of narrative_hook, product_mention, location_brand, character_reference, but a list of 0 entries was sent",
);
const noTypes = (sent: string) =>
  malformedField(
    `placement_types must be a list of at least 1 and at most 100 entries, each one of narrative_hook, product_mention, location_brand, character_reference, but ${sent} was sent`,
  );
const common = { group: "management", scope: "developer", path: "/placements/{game_id}" } as const;

export const placementsApi = defineFeature({
  tag: "Placements",
  description: "Ads in the games of the key's account.",
  schemas: {
    Placement: placementSchema,
    NewPlacement: placementCreateSchema,
    PlacementChanges: placementPatchSchema,
  },
  operations: {
    list: {
      ...common,
      operationId: "listPlacements",
      method: "GET",
      path: "/placements",
      addition: true,
      summary: "List the placements",
      description:
        "The games of the key's account, by identifier, also those in which ads are disabled. Without `limit` a page has 500 rows.",
      paged: true,
      success: [
        { status: 200, description: "The placements.", schema: placementListSchema, example: [placement] },
      ],
      refusals: [],
    },
    enable: {
      ...common,
      operationId: "enablePlacement",
      method: "POST",
      summary: "Enable ads in a game",
      description:
        "Creates, re-enables or changes. In a game that exists, optional fields left out keep their value, enabled or disabled, and `null` sets the default; defaults apply to a new game. It needs the scope `developer`, so a game server's key with `serving` alone cannot call it.",
      idempotent: true,
      request: { schema: placementCreateSchema, example: newPlacement },
      success: [{ status: 201, description: "The placement.", schema: placementSchema, example: placement }],
      refusals: [
        missingField("creator_id is required: it must be text of at most 200 characters that is not blank"),
        noTypes('"narrative_hook"'),
        otherAccount,
        emptyTypes,
        refusal(
          422,
          "too_many",
          "The account has 10000 placements.",
          "An account has at most 10000 placements: change one that is no longer needed.",
        ),
        accountTooLarge,
      ],
    },
    show: {
      ...common,
      operationId: "getPlacement",
      method: "GET",
      summary: "Read a placement",
      description: "The configuration, also while ads are disabled.",
      success: [{ status: 200, description: "The placement.", schema: placementSchema, example: placement }],
      refusals: ownGameOnly,
    },
    change: {
      ...common,
      operationId: "updatePlacement",
      method: "PATCH",
      summary: "Change a placement",
      description:
        "Changes the fields that the body contains, also while ads are disabled; `null` sets an optional field back to its default.",
      request: { schema: placementPatchSchema, example: { revenue_share_pct: 72.5, max_ads_per_session: 5 } },
      success: [
        {
          status: 200,
          description: "The changed placement.",
          schema: placementSchema,
          example: { ...placement, revenue_share_pct: 72.5, max_ads_per_session: 5 },
        },
      ],
      refusals: [
        noTypes("null"),
        ...ownGameOnly,
        notAllowedField(
          "revenue_share_pct must be a number from 0 to 100 with at most two decimals, but 100.5 was sent",
        ),
        responseOnlyField(
          "is_active cannot be changed by PATCH: enable ads by POST /placements/{game_id}, disable them by DELETE /placements/{game_id}",
        ),
        accountTooLarge,
      ],
    },
    disable: {
      ...common,
      operationId: "disablePlacement",
      method: "DELETE",
      summary: "Disable ads in a game",
      description:
        "Nothing is matched for the game after the answer; the configuration is kept. Ads that were matched before and are seen are still billed. Doing it again is no error.",
      success: [{ status: 204, description: "Ads are disabled." }],
      refusals: ownGameOnly,
    },
  },
});
