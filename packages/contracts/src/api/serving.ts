import type { Static } from "typebox";
import {
  malformedField,
  malformedName,
  missingField,
  missingName,
  nameTooLong,
  notAllowedField,
} from "../definition/common-errors.ts";
import { bothOrNone, requireBothOrNone } from "../definition/conditions.ts";
import { CREATIVE_TYPES, TONES } from "../definition/enumerations.ts";
import { exampleIds } from "../definition/example-ids.ts";
import {
  answerText,
  closed,
  count,
  countryCode,
  gameId,
  latitude,
  listOf,
  longitude,
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
import { lenientValidator, validatorWithoutNulls, type WithoutNulls } from "../validation/validator.ts";

const playerGeo = open(
  {
    country_code: optional(countryCode("ISO 3166-1 alpha-2, in either case.")),
    state_code: optional(nameText("State or province code.")),
    city_name: optional(nameText("City.")),
    lat: optional(latitude("Latitude in degrees; only together with lng.")),
    lng: optional(longitude("Longitude in degrees; only together with lat.")),
  },
  "Where the player is. Taken only from here, never from the caller's address.",
);
export type PlayerGeo = Static<typeof playerGeo>;

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
export type GameContext = Static<typeof gameContext>;

export const matchRequestSchema = open(
  {
    game_id: gameId(),
    user_id: nameText("The player; used for frequency capping and stored only as a keyed hash."),
    player_geo: optional(playerGeo),
    game_context: gameContext,
    session_id: optional(nameText("The player session, for frequency capping within it.")),
  },
  "Asks for the best matching ad. Blank optional texts, also in lists, count as absent, whatever their schemas say.",
);

/** The body of POST /match after validation: without nulls and blank optional texts, country_code in upper case. */
export type MatchRequest = WithoutNulls<Static<typeof matchRequestSchema>>;

const readMatchRequest = lenientValidator(matchRequestSchema, ({ player_geo = {} }) =>
  requireBothOrNone(player_geo, "player_geo."),
);

/** Validates the body of POST /match; throws InvalidInput. */
export function matchRequest(body: unknown): MatchRequest {
  const request = readMatchRequest(body);
  const place = request.player_geo;
  if (place?.country_code === undefined) return request;
  const code = place.country_code.toUpperCase();
  return code === place.country_code ? request : { ...request, player_geo: { ...place, country_code: code } };
}

export const biasedPipelineSchema = Type.Record(Type.String(), Type.String(), {
  description: "Overrides for the scene renderer: lighting, effects, camera, mood and location, where set.",
});

const matchResponseSchema = closed(
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
    biased_pipeline: biasedPipelineSchema,
    affinity_score: Type.Number({
      minimum: 0,
      description: "Sum of the weights of the campaign's affinities that the scene satisfies.",
    }),
    cpm_bid_cents: count("The bid: what a thousand impressions cost, in cents."),
  },
  "The ad to place in the scene.",
);
export type MatchResponse = Static<typeof matchResponseSchema>;

const impressionRequestSchema = open(
  {
    campaign_id: nameText("The campaign of the match."),
    creative_id: nameText("The creative of the match."),
    game_id: gameId(),
    match_id: optional(
      nameText("The match that was seen; without it the oldest unbilled one of this creative in this game."),
    ),
  },
  "Records that a player has seen a matched ad: the billing event.",
);

/** The body of POST /impressions. */
export type ImpressionRequest = WithoutNulls<Static<typeof impressionRequestSchema>>;

/** Validates the body of POST /impressions; throws InvalidInput. */
export const impressionRequest = validatorWithoutNulls(impressionRequestSchema);

const impressionResponseSchema = closed(
  {
    impression_id: answerText("The impression."),
    campaign_id: answerText("The campaign that was charged."),
    creative_id: answerText("The creative that was seen."),
    game_id: answerText("The game in which it was seen."),
    charged_cents: Type.Number({
      minimum: 0,
      description: "The charge, in cents; exact, can be fractional.",
    }),
    recorded_at: timestamp("When it was recorded."),
  },
  "A billed impression.",
);
export type ImpressionResponse = Static<typeof impressionResponseSchema>;

export const otherAccountsGame = refusal(
  403,
  "other_account",
  "The game belongs to another account.",
  "game_id names a game of another account: use a key of that account",
);
export const noGame = refusal(
  404,
  "no_game",
  "Ads were never enabled in the game.",
  "game_id names no registered game: enable placements for it by POST /placements/{game_id} first",
);
export const unknownCampaign = refusal(
  404,
  "no_campaign",
  "Campaign not found.",
  "campaign_id names no campaign: send the one of the match",
);
export const unknownCreative = refusal(
  404,
  "no_creative",
  "The campaign has no such creative.",
  "creative_id names no creative of this campaign: send the one of the match",
);
export const noMatch = refusal(
  409,
  "no_match",
  "There is no unbilled match to charge.",
  "There is no unbilled match of this campaign and creative in this game whose hold is open or lapsed only recently: send match_id, or ask for a match by POST /match first.",
);
export const wrongMatch = refusal(
  409,
  "wrong_match",
  "The match_id is unknown, too old, or of another campaign, creative or game.",
  "match_id names no unbilled match of this campaign, creative and game, or one that is too old: send the match_id of the match that the player has seen",
);
export const lapsedBeyondBalance = refusal(
  409,
  "balance",
  "The match has lapsed, and its price cannot be held again.",
  "The match has lapsed, and the advertiser's balance no longer covers it: ask for a new one by POST /match.",
);
export const matchBeyondBudget = refusal(
  409,
  "budget",
  "The budget was lowered while the match was open.",
  "The match no longer fits into the budget of its campaign: ask for a new one by POST /match.",
);
export const matchBeyondDailyCap = refusal(
  409,
  "daily_cap",
  "The daily cap was lowered or used up while the match was open.",
  "The match no longer fits into what is left of its campaign's daily cap: ask for a new one by POST /match.",
);
const ownGameInBody = [otherAccountsGame, noGame] as const;

export const servingApi = defineFeature({
  tag: "Serving",
  description:
    "The two calls of a running game: ask for an ad while a scene is made, record it when the player has seen it.",
  schemas: {
    MatchRequest: matchRequestSchema,
    PlayerGeo: matchRequestSchema.properties.player_geo,
    GameContext: gameContext,
    MatchResult: matchResponseSchema,
    BiasedPipeline: biasedPipelineSchema,
    ImpressionRequest: impressionRequestSchema,
    ImpressionRecord: impressionResponseSchema,
  },
  conditions: { PlayerGeo: bothOrNone(playerGeo.properties) },
  additions: ["MatchResult.match_id", "MatchResult.advertiser_id", "ImpressionRequest.match_id"],
  operations: {
    match: operation("POST /match", {
      operationId: "matchAd",
      group: "match",
      scope: "serving",
      summary: "Find the best ad for a scene",
      description:
        "Answers 200 with an ad whose price is now held for ten minutes, or 204 when none matches: the game then goes on with its normal scene. Insert `narrative_hook` into the scene, apply `biased_pipeline` where you like, and record the impression when the player has seen it. Counts as one request more for each 16 KiB of its body, or of the scene's texts and the game's blocked lists after NFKC; more where many long keywords begin with words of the scene.",
      request: {
        schema: matchRequestSchema,
        example: {
          game_id: exampleIds.game,
          user_id: "player-8812",
          player_geo: { country_code: "DE", city_name: "Berlin" },
          game_context: {
            theme_id: "medieval",
            category: "fantasy",
            narrative: "Rain drums on the roof of the tavern while the party plans its next move.",
            mood_tags: ["calm"],
            location: "tavern",
            actions: ["talk", "drink"],
          },
          session_id: "session-5501",
        },
      },
      success: [
        ok("The ad to place in the scene.", matchResponseSchema, {
          match_id: exampleIds.match,
          campaign_id: exampleIds.campaign,
          advertiser_id: exampleIds.advertiser,
          creative_id: exampleIds.creative,
          narrative_hook: "The innkeeper sets down a steaming cup of Emberroast and nods toward the fire.",
          creative_type: "narrative_hook",
          brand_name: "Emberroast",
          product_name: "Dark No. 7",
          tagline: "Keeps the night awake.",
          tone: "positive",
          biased_pipeline: { mood: "calm", lighting: "warm" },
          affinity_score: 1.5,
          cpm_bid_cents: 1_200,
        }),
        noContent("No ad matches; this is not an error. The header says coarsely why.", {
          headers: ["X-No-Match-Reason"],
        }),
      ],
      refusals: [
        missingField("game_context is required: it must be an object"),
        malformedField(
          'player_geo.country_code must be a country code of ISO 3166-1 alpha-2, such as DE, but "XX" was sent',
        ),
        ...ownGameInBody,
        notAllowedField("player_geo.lat must be a number from -90 to 90, but 91 was sent"),
      ],
    }),
    recordImpression: operation("POST /impressions", {
      operationId: "recordImpression",
      group: "impressions",
      scope: "serving",
      summary: "Record that an ad was seen",
      description:
        "The billing event: consumes one earlier match of the same campaign, creative and game, and charges its price: with `match_id` until the match is 24 hours old, without it the oldest one whose hold is open or lapsed less than an hour ago. The same `match_id` or `Idempotency-Key` again returns the first record and charges nothing more. Counts as one request more for each 4 KiB of its body.",
      idempotent: true,
      // The fields have less, whatever they contain.
      bodyBytesPerRequest: 4 * 1_024,
      request: {
        schema: impressionRequestSchema,
        example: {
          campaign_id: exampleIds.campaign,
          creative_id: exampleIds.creative,
          game_id: exampleIds.game,
          match_id: exampleIds.match,
        },
      },
      success: [
        created("The impression record.", impressionResponseSchema, {
          impression_id: exampleIds.impression,
          campaign_id: exampleIds.campaign,
          creative_id: exampleIds.creative,
          game_id: exampleIds.game,
          charged_cents: 1.2,
          recorded_at: exampleIds.moment,
        }),
      ],
      refusals: [
        missingName("creative_id"),
        malformedName("campaign_id"),
        ...ownGameInBody,
        unknownCampaign,
        unknownCreative,
        noMatch,
        wrongMatch,
        lapsedBeyondBalance,
        matchBeyondBudget,
        matchBeyondDailyCap,
        nameTooLong("match_id"),
      ],
    }),
  },
});
