import {
  geoTargetCreateSchema,
  geoTargetListSchema,
  geoTargetSchema,
  NEEDED_OF_GEO_TARGET,
} from "../schemas/geo-target.ts";
import {
  campaignTooLarge,
  malformedField,
  missingField,
  notAllowedField,
  ownCampaignOnly,
} from "./common-refusals.ts";
import { neededWhere, together } from "./conditions.ts";
import { exampleIds } from "./example-ids.ts";
import { defineFeature, refusal } from "./operation.ts";

const newTarget = { target_type: "city", country_code: "DE", city_name: "Berlin", include: true };
const target = {
  id: exampleIds.geoTarget,
  campaign_id: exampleIds.campaign,
  ...newTarget,
  state_code: null,
  lat: null,
  lng: null,
  radius_km: null,
  created_at: exampleIds.moment,
};
const common = { group: "management", scope: "advertiser" } as const;
const all = "/campaigns/{campaign_id}/geo-targets";

export const geoTargetsApi = defineFeature({
  tag: "Geo targeting",
  description:
    "Where a campaign is shown. Several includes combine with OR; an exclude that matches keeps the campaign out. The place of a player is taken only from `player_geo` of the match request.",
  schemas: { GeoTarget: geoTargetSchema, NewGeoTarget: geoTargetCreateSchema },
  conditions: {
    NewGeoTarget: [
      ...Object.entries(NEEDED_OF_GEO_TARGET).map(([type, needed]) =>
        neededWhere(geoTargetCreateSchema.properties, "target_type", type, needed),
      ),
      ...together(geoTargetCreateSchema.properties, ["lat", "lng"]),
    ],
  },
  operations: {
    create: {
      ...common,
      operationId: "createGeoTarget",
      method: "POST",
      path: all,
      summary: "Add a geo target to a campaign",
      description:
        "A campaign has at most 500 geo targets. Fields that the type does not use are not kept and are null in the answer, such as city_name of a country.",
      idempotent: true,
      request: { schema: geoTargetCreateSchema, example: newTarget },
      success: [
        { status: 201, description: "The new geo target.", schema: geoTargetSchema, example: target },
      ],
      refusals: [
        missingField(
          "city_name is required when target_type is city: it must be text that is not blank, such as Berlin",
        ),
        malformedField(
          'country_code must be a country code of ISO 3166-1 alpha-2, such as DE, but "XX" was sent',
        ),
        ...ownCampaignOnly,
        notAllowedField("lat must be a number from -90 to 90, but 91 was sent"),
        refusal(
          422,
          "contradiction",
          "The campaign has the same place the other way round.",
          `include must not be false: the campaign includes the same place by ${exampleIds.geoTarget}; delete that geo target first`,
        ),
        refusal(
          422,
          "too_many",
          "The campaign has 500 geo targets.",
          "A campaign has at most 500 geo targets: delete one first.",
        ),
        ...campaignTooLarge,
      ],
    },
    list: {
      ...common,
      operationId: "listGeoTargets",
      method: "GET",
      path: all,
      summary: "List the geo targets of a campaign",
      description: "In the order of their creation.",
      paged: true,
      success: [
        { status: 200, description: "The geo targets.", schema: geoTargetListSchema, example: [target] },
      ],
      refusals: ownCampaignOnly,
    },
    remove: {
      ...common,
      operationId: "deleteGeoTarget",
      method: "DELETE",
      path: `${all}/{geo_target_id}`,
      summary: "Delete a geo target",
      description: "Matches after the answer ignore it.",
      success: [{ status: 204, description: "The geo target is deleted." }],
      refusals: [
        ...ownCampaignOnly,
        refusal(
          404,
          "no_geo_target",
          "The campaign has no such geo target.",
          "The campaign has no geo target of this id: GET /campaigns/{campaign_id}/geo-targets lists those it has.",
        ),
      ],
    },
  },
});
