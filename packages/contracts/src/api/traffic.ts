import type { Static } from "typebox";
import { numberRefusals, ownGameOnly } from "../definition/common-errors.ts";
import { exampleIds } from "../definition/example-ids.ts";
import { answerText, closed, count, microcents, nullable, oneOf, timestamp } from "../definition/fields.ts";
import { defineFeature, ok, operation, refusal } from "../definition/operation.ts";
import Type from "../definition/type.ts";

/** Stages of a game's integration. */
const TRAFFIC_STAGES = ["waiting", "requested", "matched", "shown", "billed"] as const;
export const TRAFFIC_UNITS = ["hour", "day"] as const;
/** Points of a series, by its unit. */
export const TRAFFIC_POINTS = {
  hour: { minimum: 1, maximum: 48, default: 24 },
  day: { minimum: 1, maximum: 31, default: 30 },
} as const;
/** Scene fields that have words. */
export const SCENE_WORD_TYPES = ["theme", "category", "mood", "location", "action"] as const;
/** Maximum scenes of an account's games in one answer. */
export const ACCOUNT_SCENES = { minimum: 1, maximum: 100, default: 50 } as const;

const trafficUnitSchema = oneOf(TRAFFIC_UNITS, "What one point of the series stands for.", "hour");
const trafficCountSchema = Type.Integer({
  minimum: TRAFFIC_POINTS.hour.minimum,
  maximum: TRAFFIC_POINTS.hour.maximum,
  description:
    "How many points, the current one included: at most 48 hours or 31 days; without it 24 hours or 30 days.",
});
const accountScenesSchema = Type.Integer({
  ...ACCOUNT_SCENES,
  description: "How many scenes at most.",
});
const sceneWordTypeSchema = oneOf(SCENE_WORD_TYPES, "Only words of this field of the scene.");

const lastAt = (what: string) => nullable(timestamp(`${what}; null: none that is remembered.`));

const callErrors = closed(
  {
    operation: oneOf(["match", "impressions"], "Which call was refused or failed."),
    status: Type.Integer({ minimum: 400, maximum: 599, description: "The status of the answer." }),
    count: count("How often in the last 24 hours."),
    last_at: lastAt("When it happened last"),
  },
  "One kind of error that the account's calls were answered.",
);

const gameTraffic = closed(
  {
    game_id: answerText("The game."),
    is_active: Type.Boolean({ description: "Whether the game receives ads." }),
    stage: oneOf(
      TRAFFIC_STAGES,
      "How far the integration has come: waiting for a first call; requested, but no ad yet; matched; shown: an impression was accepted; billed: it is in the ledger.",
    ),
    last_request_at: lastAt("When the game last asked for an ad"),
    last_match_at: lastAt("When it last got one"),
    last_impression_at: lastAt("When an impression was last accepted"),
    requests: count("Match requests of the last 24 hours that were answered."),
    matches: count("How many of them got an ad."),
    impressions: count("Impressions of the last 24 hours that were accepted."),
    errors: count("Calls of the last 24 hours that were refused or failed after the game was known."),
    billed_impressions: count("All billed impressions of the game."),
    earned_microcents: microcents("What they have earned."),
  },
  "How a game's integration is doing.",
);

const trafficSchema = closed(
  {
    last_call_at: lastAt("When any key of the account last called /match or /impressions"),
    errors: Type.Array(callErrors, {
      description: "Errors of the last 24 hours, also of calls that named no game, most frequent first.",
    }),
    games: Type.Array(gameTraffic, { description: "The games of the account, by identifier." }),
  },
  "How the integration of the account's games is doing. Statistics, up to two seconds old; no bill depends on them.",
);
export type TrafficBody = Static<typeof trafficSchema>;

const trafficPoint = closed(
  {
    start: timestamp("When the hour or the UTC day began."),
    requests: count("Match requests that were answered."),
    matches: count("How many of them got an ad."),
    impressions: count("Impressions that were accepted."),
    no_match: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
      description: "Requests that got no ad, by the reason that X-No-Match-Reason named.",
    }),
    errors: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
      description: "Calls that were refused or failed, by operation and status, such as match_429.",
    }),
  },
  "The calls of one hour or one UTC day.",
);

const trafficSeriesSchema = closed(
  {
    game_id: answerText("The game."),
    unit: oneOf(TRAFFIC_UNITS, "What one point stands for."),
    points: Type.Array(trafficPoint, {
      description: "Oldest first; hours and days without calls are zeros.",
    }),
  },
  "The calls of a game over time. Statistics, up to two seconds old; no bill depends on them.",
);
export type TrafficSeriesBody = Static<typeof trafficSeriesSchema>;

const sceneContext = closed(
  {
    theme_id: Type.Optional(answerText("Theme of the scene.")),
    category: Type.Optional(answerText("Category of the game.")),
    narrative: Type.Optional(answerText("What happens in the scene, cut at 500 characters.")),
    mood_tags: Type.Optional(Type.Array(answerText("A mood."), { description: "Moods of the scene." })),
    location: Type.Optional(answerText("Where the scene takes place.")),
    actions: Type.Optional(Type.Array(answerText("An action."), { description: "What the characters do." })),
  },
  "The scene as the game sent it; what was left out then is left out here.",
);

const noMatchScene = closed(
  {
    game_id: answerText("The game."),
    at: timestamp("When the game asked."),
    reason: answerText("Why there was no ad, as X-No-Match-Reason named it."),
    country_code: nullable(
      answerText("Where the player was, ISO 3166-1 alpha-2; null: unknown. Nothing more precise is kept."),
    ),
    game_context: sceneContext,
  },
  "A scene that got no ad. Neither the player nor the session is kept.",
);
const noMatchSceneListSchema = Type.Array(noMatchScene, { description: "Scenes, newest first." });
export type NoMatchSceneListBody = Static<typeof noMatchSceneListSchema>;

const sentWord = closed(
  {
    type: oneOf(SCENE_WORD_TYPES, "The field of the scene that has it."),
    value: answerText("The word, in lower case."),
    scenes: count("Sampled scenes of this month and the last one that have it."),
    is_targeted: Type.Boolean({
      description:
        "Whether active campaigns of at least three advertisers, or of the caller, target it by an affinity, a category or a tag.",
    }),
  },
  "A word that the game sends.",
);
const unsentWord = closed(
  {
    type: oneOf(
      [...SCENE_WORD_TYPES, "tag"],
      "The field of the scene in which campaigns look for it; a tag may be in any.",
    ),
    value: answerText("The word, in lower case."),
  },
  "A word that campaigns target and the game does not send.",
);
const gameWordsSchema = closed(
  {
    game_id: answerText("The game."),
    sent: Type.Array(sentWord, {
      description: "Words that the game sends, most frequent first; at most 300.",
    }),
    unsent: Type.Array(unsentWord, {
      description:
        "Words that active campaigns of at least three advertisers target, or the caller's own, and the game never sent; at most 100.",
    }),
  },
  "The words of a game's scenes beside those that campaigns target.",
);
export type GameWordsBody = Static<typeof gameWordsSchema>;

const marketWord = closed(
  {
    type: oneOf(SCENE_WORD_TYPES, "The field of scenes that has it."),
    value: answerText("The word, in lower case."),
    games: count("Games that send it."),
    scenes: count("Sampled scenes of this month and the last one that have it."),
  },
  "A word that games send.",
);
const marketWordListSchema = Type.Array(marketWord, {
  description: "Words, most frequent first; at most 200 of each type.",
});
export type MarketWordListBody = Static<typeof marketWordListSchema>;

const common = { group: "management", addition: true } as const;
const developer = { ...common, scope: "developer" } as const;
const one = "/traffic/{game_id}";

const scene = {
  game_id: exampleIds.game,
  at: exampleIds.moment,
  reason: "no_eligible_campaign",
  country_code: "DE",
  game_context: { category: "fantasy", mood_tags: ["tense"], location: "crypt" },
};

export const trafficApi = defineFeature({
  tag: "Traffic",
  description:
    "What the games really send and what they are answered, for developers and, summed up, for advertisers. Statistics that match instances count in memory and send about once a second: a crash loses the last second, and no bill depends on them.",
  schemas: {
    Traffic: trafficSchema,
    CallErrors: callErrors,
    GameTraffic: gameTraffic,
    TrafficSeries: trafficSeriesSchema,
    TrafficPoint: trafficPoint,
    NoMatchScene: noMatchScene,
    SceneContext: sceneContext,
    GameWords: gameWordsSchema,
    SentWord: sentWord,
    UnsentWord: unsentWord,
    MarketWord: marketWord,
  },
  operations: {
    list: operation("GET /traffic", {
      ...developer,
      operationId: "getTraffic",
      summary: "How the integration is doing",
      description:
        "The last call and the errors of the account, and for each of its games how far it has come and what it did in the last 24 hours. Calls are counted for 500 games, the first that were called in the last two months: others show none. Without `limit` a page has 500 games.",
      paged: true,
      success: [
        ok("The account and its games.", trafficSchema, {
          last_call_at: exampleIds.moment,
          errors: [{ operation: "match", status: 400, count: 2, last_at: exampleIds.moment }],
          games: [
            {
              game_id: exampleIds.game,
              is_active: true,
              stage: "billed",
              last_request_at: exampleIds.moment,
              last_match_at: exampleIds.moment,
              last_impression_at: exampleIds.moment,
              requests: 120,
              matches: 80,
              impressions: 60,
              errors: 0,
              billed_impressions: 100,
              earned_microcents: 84_000_000,
            },
          ],
        }),
      ],
      refusals: [],
    }),
    series: operation(`GET ${one}`, {
      ...developer,
      operationId: "getTrafficSeries",
      summary: "The calls of one game over time",
      description:
        "Requests, matches, impressions, reasons for no ad and errors, by hour for up to 48 hours or by UTC day for up to 31 days.",
      query: [
        { name: "unit", schema: trafficUnitSchema, example: "hour" },
        { name: "count", schema: trafficCountSchema, example: 24 },
      ],
      success: [
        ok("The series.", trafficSeriesSchema, {
          game_id: exampleIds.game,
          unit: "hour",
          points: [
            {
              start: "2026-12-01T09:00:00.000Z",
              requests: 12,
              matches: 8,
              impressions: 6,
              no_match: { no_eligible_campaign: 3, session_cap: 1 },
              errors: { match_429: 1 },
            },
          ],
        }),
      ],
      refusals: [
        ...numberRefusals("count", TRAFFIC_POINTS.hour.maximum, "range for the unit"),
        ...ownGameOnly,
        refusal(422, "unit", "The unit is another one.", 'unit must be hour or day, but "week" was sent'),
      ],
    }),
    gameScenes: operation(`GET ${one}/no-match-scenes`, {
      ...developer,
      operationId: "listNoMatchScenes",
      summary: "Scenes of one game that got no ad",
      description:
        "A sample of the latest ones: at most one of a game in a second is kept, 50 of each game, for seven days. Player and session are removed, also from the texts, and so is every place but the country.",
      success: [ok("The scenes.", noMatchSceneListSchema, [scene])],
      refusals: ownGameOnly,
    }),
    accountScenes: operation("GET /no-match-scenes", {
      ...common,
      scope: ["advertiser", "developer"],
      operationId: "listAccountNoMatchScenes",
      summary: "Scenes of all own games that got no ad",
      description:
        "The latest sampled scenes of the account's games, to explain a campaign with: `POST /campaigns/{campaign_id}/explain` takes game_id and game_context as they are, and the country as player_geo.",
      query: [{ name: "limit", schema: accountScenesSchema, example: 50 }],
      success: [ok("The scenes.", noMatchSceneListSchema, [scene])],
      refusals: numberRefusals("limit", ACCOUNT_SCENES.maximum),
    }),
    gameWords: operation(`GET ${one}/words`, {
      ...developer,
      operationId: "getGameWords",
      summary: "Words of one game beside those of the market",
      description:
        "Which words of the game's scenes campaigns target, and which of the market's words the game never sends. What fewer than three advertisers target is not named, unless it is the caller's own.",
      success: [
        ok("The words.", gameWordsSchema, {
          game_id: exampleIds.game,
          sent: [{ type: "location", value: "tavern", scenes: 40, is_targeted: true }],
          unsent: [{ type: "mood", value: "cozy" }],
        }),
      ],
      refusals: ownGameOnly,
    }),
    marketWords: operation("GET /market/words", {
      ...common,
      scope: "advertiser",
      operationId: "listMarketWords",
      summary: "Words that games really send",
      description:
        "What targeting can look for: words of the scenes of the games with the most impressions, up to a minute old. A word is named when games of at least three developers send it, or a game of the caller's own account.",
      query: [{ name: "type", schema: sceneWordTypeSchema, example: "location" }],
      success: [
        ok("The words.", marketWordListSchema, [
          { type: "location", value: "tavern", games: 7, scenes: 1_200 },
        ]),
      ],
      refusals: [
        refusal(
          400,
          "type_twice",
          "type is sent more than once.",
          "type must be sent once, but it was sent 2 times",
        ),
        refusal(
          422,
          "type",
          "The type is another one.",
          'type must be theme, category, mood, location or action, but "tag" was sent',
        ),
      ],
    }),
  },
});
