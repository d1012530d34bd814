import type { Static } from "typebox";
import { campaignParts } from "../definition/campaign-parts.ts";
import {
  malformedField,
  missingField,
  notAllowedField,
  ownCampaignOnly,
  publishedSizes,
  tooMany,
} from "../definition/common-errors.ts";
import { bothOrNone, neededWhere, requireBothOrNone } from "../definition/conditions.ts";
import { GEO_TARGET_TYPES } from "../definition/enumerations.ts";
import { exampleIds } from "../definition/example-ids.ts";
import {
  answerText,
  closed,
  countryCode,
  latitude,
  longitude,
  nameText,
  nullable,
  oneOf,
  open,
  optional,
  timestamp,
} from "../definition/fields.ts";
import { created, defineFeature, operation, refusal } from "../definition/operation.ts";
import Type from "../definition/type.ts";
import { InvalidInput } from "../http-error.ts";
import { validatorWithoutNulls, type WithoutNulls } from "../validation/validator.ts";

/** From one metre to half of the earth's circumference, which covers every place. */
const RADIUS_KM = { minimum: 0.001, maximum: 20_037.5 };

/** The required fields of each target type. */
const NEEDED_OF_GEO_TARGET = {
  country: ["country_code"],
  state: ["country_code", "state_code"],
  city: ["country_code", "city_name"],
  radius: ["lat", "lng", "radius_km"],
} as const;

/** The text after "must be" when a required field is missing. */
const ALLOWED = {
  country_code: "a country code of ISO 3166-1 alpha-2, such as DE",
  state_code: "text that is not blank, such as BE",
  city_name: "text that is not blank, such as Berlin",
  lat: "a number from -90 to 90",
  lng: "a number from -180 to 180",
  radius_km: `a number from ${RADIUS_KM.minimum} to ${RADIUS_KM.maximum}`,
};

export const geoTargetCreateSchema = open(
  {
    target_type: oneOf(
      GEO_TARGET_TYPES,
      "What the place is. A country needs country_code, a state also state_code, a city country_code and city_name (and takes state_code), a radius lat, lng and radius_km; fields of other types are not kept.",
    ),
    country_code: optional(countryCode("ISO 3166-1 alpha-2, in either case; kept in upper case.")),
    state_code: optional(nameText("State or province code; compared without regard to case.")),
    city_name: optional(nameText("City; compared without regard to case and accents.")),
    lat: optional(latitude("Latitude of the centre, in degrees.")),
    lng: optional(longitude("Longitude of the centre, in degrees.")),
    radius_km: optional(
      Type.Number({
        ...RADIUS_KM,
        description: "Radius in kilometres: from one metre to half of the earth's circumference.",
      }),
    ),
    include: optional(
      Type.Boolean({
        default: true,
        description: "true: the campaign serves there; false: it does not.",
      }),
    ),
  },
  "A new geo target of a campaign.",
);
/** A client's input; `country_code` is in upper case after validation. */
export type GeoTargetCreate = WithoutNulls<Static<typeof geoTargetCreateSchema>>;

const readGeoTarget = validatorWithoutNulls(geoTargetCreateSchema, (target) => {
  const missing = NEEDED_OF_GEO_TARGET[target.target_type].find((field) => target[field] === undefined);
  if (missing !== undefined) {
    throw new InvalidInput(
      400,
      `${missing} is required when target_type is ${target.target_type}: it must be ${ALLOWED[missing]}`,
    );
  }
  requireBothOrNone(target);
});

/** The body of POST /campaigns/{id}/geo-targets; throws InvalidInput. */
export function geoTargetCreate(body: unknown): GeoTargetCreate {
  const target = readGeoTarget(body);
  if (target.country_code === undefined) return target;
  return { ...target, country_code: target.country_code.toUpperCase() };
}

export const geoTargetSchema = closed(
  {
    id: answerText("The geo target, geo_…"),
    campaign_id: answerText("The campaign that it belongs to."),
    target_type: oneOf(GEO_TARGET_TYPES, "What the place is."),
    country_code: nullable(answerText("ISO 3166-1 alpha-2, upper case; null for a radius.")),
    state_code: nullable(answerText("State or province code, as it was given; null without one.")),
    city_name: nullable(answerText("City, as it was given; null without one.")),
    lat: nullable(latitude("Latitude of the centre, in degrees; null unless it is a radius.")),
    lng: nullable(longitude("Longitude of the centre, in degrees; null unless it is a radius.")),
    radius_km: nullable(
      Type.Number({
        ...RADIUS_KM,
        description: "Radius in kilometres; null unless it is a radius.",
      }),
    ),
    include: Type.Boolean({ description: "Whether the campaign serves there, or is excluded." }),
    created_at: timestamp("When the geo target was created."),
  },
  "A place that a campaign includes or excludes. The includes of a campaign combine with OR; an exclude that matches always wins.",
);
export type GeoTargetBody = Static<typeof geoTargetSchema>;

const geoTargetListSchema = Type.Array(geoTargetSchema, {
  description: "The campaign's geo targets in the order of their creation.",
});

/** Maximum geo targets per campaign. */
export const MAX_GEO_TARGETS = 500;
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
export const contradictingGeoTarget = refusal(
  422,
  "contradiction",
  "The campaign has the same place the other way round.",
  (include: boolean, otherId: string) =>
    `include must not be ${include}: the campaign ${include ? "excludes" : "includes"} the same place by ${otherId}; delete that geo target first`,
  false,
  exampleIds.geoTarget,
);
export const tooManyGeoTargets = tooMany("campaign", MAX_GEO_TARGETS, "geo targets", "delete one first");
export const noGeoTarget = refusal(
  404,
  "no_geo_target",
  "The campaign has no such geo target.",
  "The campaign has no geo target of this id: GET /campaigns/{campaign_id}/geo-targets lists those it has.",
);
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
      ...bothOrNone(geoTargetCreateSchema.properties),
    ],
  },
  operations: {
    create: operation(`POST ${all}`, {
      ...common,
      operationId: "createGeoTarget",
      summary: "Add a geo target to a campaign",
      description: `A campaign has at most ${MAX_GEO_TARGETS} geo targets. Fields that the type does not use are not kept and are null in the answer, such as city_name of a country.`,
      idempotent: true,
      request: { schema: geoTargetCreateSchema, example: newTarget },
      success: [created("The new geo target.", geoTargetSchema, target)],
      refusals: [
        missingField(
          "city_name is required when target_type is city: it must be text that is not blank, such as Berlin",
        ),
        malformedField(
          'country_code must be a country code of ISO 3166-1 alpha-2, such as DE, but "XX" was sent',
        ),
        ...ownCampaignOnly,
        notAllowedField("lat must be a number from -90 to 90, but 91 was sent"),
        contradictingGeoTarget,
        tooManyGeoTargets,
        ...publishedSizes,
      ],
    }),
    ...campaignParts({
      path: all,
      parameter: "geo_target_id",
      list: {
        operationId: "listGeoTargets",
        summary: "List the geo targets of a campaign",
        answer: "The geo targets.",
        schema: geoTargetListSchema,
        example: target,
      },
      remove: {
        operationId: "deleteGeoTarget",
        summary: "Delete a geo target",
        answer: "The geo target is deleted.",
        missing: noGeoTarget,
      },
    }),
  },
});
