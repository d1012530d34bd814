import {
  accountScenesSchema,
  gameWordsSchema,
  marketWordListSchema,
  noMatchSceneListSchema,
  sceneWordTypeSchema,
  trafficCountSchema,
  trafficSchema,
  trafficSeriesSchema,
  trafficUnitSchema,
} from "../schemas/traffic.ts";
import { ownGameOnly } from "./common-refusals.ts";
import { exampleIds } from "./example-ids.ts";
import { defineFeature, refusal } from "./operation.ts";

const common = { group: "analytics", method: "GET", addition: true } as const;
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
    CallErrors: trafficSchema.properties.errors.items,
    GameTraffic: trafficSchema.properties.games.items,
    TrafficSeries: trafficSeriesSchema,
    TrafficPoint: trafficSeriesSchema.properties.points.items,
    NoMatchScene: noMatchSceneListSchema.items,
    SceneContext: noMatchSceneListSchema.items.properties.game_context,
    GameWords: gameWordsSchema,
    SentWord: gameWordsSchema.properties.sent.items,
    UnsentWord: gameWordsSchema.properties.unsent.items,
    MarketWord: marketWordListSchema.items,
  },
  operations: {
    list: {
      ...developer,
      operationId: "getTraffic",
      path: "/traffic",
      summary: "How the integration is doing",
      description:
        "The last call and the errors of the account, and for each of its games how far it has come and what it did in the last 24 hours. Without `limit` a page has 500 games.",
      paged: true,
      success: [
        {
          status: 200,
          description: "The account and its games.",
          schema: trafficSchema,
          example: {
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
          },
        },
      ],
      refusals: [],
    },
    series: {
      ...developer,
      operationId: "getTrafficSeries",
      path: one,
      summary: "The calls of one game over time",
      description:
        "Requests, matches, impressions, reasons for no ad and errors, by hour for up to 48 hours or by UTC day for up to 31 days.",
      query: [
        { name: "unit", schema: trafficUnitSchema, example: "hour" },
        { name: "count", schema: trafficCountSchema, example: 24 },
      ],
      success: [
        {
          status: 200,
          description: "The series.",
          schema: trafficSeriesSchema,
          example: {
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
          },
        },
      ],
      refusals: [
        refusal(
          400,
          "no_count",
          "count is no whole number.",
          'count must be a whole number from 1 to 48, but "abc" was sent',
        ),
        ...ownGameOnly,
        refusal(
          422,
          "count",
          "count is out of range for the unit.",
          'count must be a whole number from 1 to 48, but "49" was sent',
        ),
        refusal(422, "unit", "The unit is another one.", 'unit must be hour or day, but "week" was sent'),
      ],
    },
    gameScenes: {
      ...developer,
      operationId: "listNoMatchScenes",
      path: `${one}/no-match-scenes`,
      summary: "Scenes of one game that got no ad",
      description:
        "A sample of the latest ones: at most one of a game in a second is kept, 50 of each game, for seven days. Player and session are removed, also from the texts, and so is every place but the country.",
      success: [
        { status: 200, description: "The scenes.", schema: noMatchSceneListSchema, example: [scene] },
      ],
      refusals: ownGameOnly,
    },
    accountScenes: {
      ...common,
      scope: ["advertiser", "developer"],
      operationId: "listAccountNoMatchScenes",
      path: "/no-match-scenes",
      summary: "Scenes of all own games that got no ad",
      description:
        "The latest sampled scenes of the account's games, to explain a campaign with: `POST /campaigns/{campaign_id}/explain` takes game_id and game_context as they are, and the country as player_geo.",
      query: [{ name: "limit", schema: accountScenesSchema, example: 50 }],
      success: [
        { status: 200, description: "The scenes.", schema: noMatchSceneListSchema, example: [scene] },
      ],
      refusals: [
        refusal(
          400,
          "no_limit",
          "limit is no whole number.",
          'limit must be a whole number from 1 to 100, but "abc" was sent',
        ),
        refusal(
          422,
          "limit_range",
          "limit is out of range.",
          'limit must be a whole number from 1 to 100, but "101" was sent',
        ),
      ],
    },
    gameWords: {
      ...developer,
      operationId: "getGameWords",
      path: `${one}/words`,
      summary: "Words of one game beside those of the market",
      description:
        "Which words of the game's scenes campaigns target, and which of the market's words the game never sends. What fewer than three advertisers target is not named, unless it is the caller's own.",
      success: [
        {
          status: 200,
          description: "The words.",
          schema: gameWordsSchema,
          example: {
            game_id: exampleIds.game,
            sent: [{ type: "location", value: "tavern", scenes: 40, is_targeted: true }],
            unsent: [{ type: "mood", value: "cozy" }],
          },
        },
      ],
      refusals: ownGameOnly,
    },
    marketWords: {
      ...common,
      scope: "advertiser",
      operationId: "listMarketWords",
      path: "/market/words",
      summary: "Words that games really send",
      description:
        "What targeting can look for: words of the scenes of the games with the most impressions, up to a minute old. A word is named when games of at least three developers send it, or a game of the caller's own account.",
      query: [{ name: "type", schema: sceneWordTypeSchema, example: "location" }],
      success: [
        {
          status: 200,
          description: "The words.",
          schema: marketWordListSchema,
          example: [{ type: "location", value: "tavern", games: 7, scenes: 1_200 }],
        },
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
    },
  },
});
