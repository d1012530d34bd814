import Type, { type Static } from "typebox";
import { InvalidInput } from "../validation/invalid-input.ts";
import { lenientValidator, type WithoutNulls } from "../validation/validator.ts";
import {
  answerText,
  COUNTRY_CODE,
  CREATIVE_TYPES,
  closed,
  count,
  gameId,
  listOf,
  longText,
  nameText,
  nullable,
  oneOf,
  open,
  optional,
  TONES,
} from "./fields.ts";

export const playerGeo = open(
  {
    country_code: optional(
      Type.String({
        format: "country-code",
        pattern: COUNTRY_CODE,
        description: "ISO 3166-1 alpha-2, in either case.",
      }),
    ),
    state_code: optional(nameText("State or province code.")),
    city_name: optional(nameText("City.")),
    lat: optional(
      Type.Number({ minimum: -90, maximum: 90, description: "Latitude in degrees; only together with lng." }),
    ),
    lng: optional(
      Type.Number({
        minimum: -180,
        maximum: 180,
        description: "Longitude in degrees; only together with lat.",
      }),
    ),
  },
  "Where the player is. Taken only from here, never from the caller's address.",
);

const gameContext = open(
  {
    theme_id: optional(nameText("Theme of the scene.")),
    category: optional(nameText("Category of the game.")),
    narrative: optional(longText("What happens in the scene.")),
    mood_tags: optional(listOf(nameText("A mood."), "Moods of the scene; blank entries are ignored.")),
    location: optional(nameText("Where the scene takes place.")),
    actions: optional(listOf(nameText("An action."), "What the characters do; blank entries are ignored.")),
  },
  "The scene that is being generated.",
);

export const matchRequestSchema = open(
  {
    game_id: gameId(),
    user_id: nameText("The player; used for frequency capping and stored only as a keyed hash."),
    player_geo: optional(playerGeo),
    game_context: gameContext,
    session_id: optional(nameText("The player session, for frequency capping within it.")),
  },
  "Asks for the best matching ad.",
);

/** The body of POST /match after validation: without nulls and blank optional texts, country_code in upper case. */
export type MatchRequest = WithoutNulls<Static<typeof matchRequestSchema>>;

const readMatchRequest = lenientValidator(matchRequestSchema, ({ player_geo: place }) => {
  if (place === undefined || (place.lat === undefined) === (place.lng === undefined)) return undefined;
  const missing = place.lat === undefined ? "lat" : "lng";
  return new InvalidInput(400, `player_geo.${missing} is required: lat and lng only go together`);
});

/** Validates the body of POST /match; throws InvalidInput. */
export function matchRequest(body: unknown): MatchRequest {
  const request = readMatchRequest(body);
  const place = request.player_geo;
  if (place?.country_code === undefined) return request;
  const code = place.country_code.toUpperCase();
  return code === place.country_code ? request : { ...request, player_geo: { ...place, country_code: code } };
}

export const matchResponseSchema = closed(
  {
    match_id: answerText("Identifies this match; an impression may name it."),
    campaign_id: answerText("The campaign that won."),
    advertiser_id: answerText("The advertiser, adv_…; a placement can block it."),
    creative_id: answerText("The creative to show."),
    narrative_hook: answerText("The line to insert: never empty."),
    creative_type: oneOf(CREATIVE_TYPES, "How the creative appears."),
    brand_name: answerText("The brand."),
    product_name: nullable(answerText("The product; null without one.")),
    tagline: nullable(answerText("The tagline; null without one.")),
    tone: oneOf(TONES, "The tone of the line."),
    biased_pipeline: Type.Record(Type.String(), Type.String(), {
      description:
        "Overrides for the scene renderer: lighting, effects, camera, mood and location, where set.",
    }),
    affinity_score: Type.Number({
      minimum: 0,
      description: "Sum of the weights of the campaign's affinities that the scene satisfies.",
    }),
    cpm_bid_cents: count("The bid: what a thousand impressions cost, in cents."),
  },
  "The ad to place in the scene.",
);
export type MatchResponse = Static<typeof matchResponseSchema>;
