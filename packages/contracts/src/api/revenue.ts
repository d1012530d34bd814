import type { Static } from "typebox";
import {
  blankFilter,
  ownGameOnly,
  periodRefusals,
  registerFirst,
  tooManyRows,
} from "../definition/common-errors.ts";
import { CAMPAIGN_STATUSES } from "../definition/enumerations.ts";
import { exampleIds } from "../definition/example-ids.ts";
import {
  answerText,
  closed,
  count,
  microcents,
  millicents,
  nullable,
  oneOf,
  periodQuery,
  report,
  textFilter,
  utcDate,
} from "../definition/fields.ts";
import { defineFeature, ok, operation } from "../definition/operation.ts";
import Type from "../definition/type.ts";

const revenueCampaign = closed(
  {
    campaign_id: answerText("The campaign."),
    name: answerText("Name of the campaign."),
    spent_cents: count("What the campaign has spent, in whole cents, rounded up."),
    spent_millicents: millicents("What the campaign has spent."),
    impressions: count("Impressions so far."),
    status: oneOf(CAMPAIGN_STATUSES, "Only an active campaign is served."),
  },
  "One campaign of the advertiser.",
);

export const revenueSchema = closed(
  {
    total_spent_cents: count("What all campaigns have spent, in whole cents, rounded up."),
    total_spent_millicents: millicents("What all campaigns have spent: the sum of the rows."),
    total_impressions: count("Impressions of all campaigns."),
    active_campaigns: count("How many campaigns are active."),
    balance_cents: count("What is left of the deposits, in whole cents, rounded down."),
    campaigns: Type.Array(revenueCampaign, { description: "All campaigns, newest first." }),
  },
  "What the advertiser has spent.",
);
export type RevenueBody = Static<typeof revenueSchema>;

const gameFields = {
  game_id: answerText("The game."),
  earned_cents: count("What the game has earned, in whole cents, rounded down."),
  earned_microcents: microcents("What the game has earned."),
  impressions: count("Impressions in the game."),
  revenue_share_pct: Type.Number({
    minimum: 0,
    maximum: 100,
    description: "The developer's current share, in percent.",
  }),
};
const creatorGame = closed(gameFields, "One game of the account.");

export const creatorRevenueSchema = closed(
  {
    total_earned_cents: count("What all games have earned, in whole cents, rounded down."),
    total_earned_microcents: microcents("What all games have earned: the sum of the rows."),
    total_impressions: count("Impressions in all games."),
    games_count: count("How many games the account has."),
    games: Type.Array(creatorGame, { description: "All games, most impressions first, then by identifier." }),
  },
  "What the developer has earned.",
);
export type CreatorRevenueBody = Static<typeof creatorRevenueSchema>;

const topAdvertiser = closed(
  {
    advertiser_id: answerText("The advertiser."),
    impressions: count("Its impressions in the game."),
    earned_cents: count("What they have earned, in whole cents, rounded down."),
    earned_microcents: microcents("What they have earned."),
  },
  "An advertiser seen in the game.",
);

const earningsDay = closed(
  {
    date: utcDate("The day."),
    impressions: count("Impressions in the game on that day."),
    earned_cents: count("What they have earned, in whole cents, rounded down."),
    earned_microcents: microcents("What they have earned."),
  },
  "A day of the game.",
);

export const gameRevenueSchema = closed(
  {
    ...gameFields,
    top_advertisers: Type.Array(topAdvertiser, {
      description:
        "The advertisers seen in the game, most impressions first, then by identifier; at most 10.",
    }),
    daily: Type.Array(earningsDay, {
      description: "The last 30 UTC days with today, newest first, days without impressions included.",
    }),
  },
  "What one game has earned.",
);
export type GameRevenueBody = Static<typeof gameRevenueSchema>;

/** Maximum brands and lines by which a developer recognises an advertiser. */
export const MAX_ADVERTISER_BRANDS = 5;
export const MAX_ADVERTISER_LINES = 3;

const gameAdvertiser = closed(
  {
    advertiser_id: answerText("The advertiser: what a placement's blocked_advertisers takes."),
    company_name: answerText("Name of the company."),
    brand_names: Type.Array(answerText("A brand."), {
      description: `Brands of its campaigns that were seen in the game, newest first; at most ${MAX_ADVERTISER_BRANDS}.`,
    }),
    recent_lines: Type.Array(answerText("A line."), {
      description: `Lines of these campaigns, newest first; at most ${MAX_ADVERTISER_LINES}.`,
    }),
    impressions: count("Its impressions in the game."),
    earned_microcents: microcents("What they have earned."),
    is_blocked: Type.Boolean({ description: "Whether the placement blocks the advertiser now." }),
  },
  "An advertiser seen in the game, as a developer recognises it.",
);
const gameAdvertiserListSchema = Type.Array(gameAdvertiser, {
  description: "The advertisers seen in the game, most impressions first, then by identifier.",
});
export type GameAdvertiserListBody = Static<typeof gameAdvertiserListSchema>;

/** Days of the earnings, counted back; also the maximum period between two days. */
export const EARNINGS_DAYS = { minimum: 1, maximum: 366, default: 30 } as const;
const earningsGameSchema = textFilter("Only this game of the account.");
const earningsAdvertiserSchema = textFilter("Only what this advertiser has paid.");

const earningsSum = closed(
  { impressions: count("Impressions."), earned_microcents: microcents("What they have earned.") },
  "What a period has earned.",
);
const gameDay = closed(
  {
    date: utcDate("The day."),
    game_id: answerText("The game."),
    impressions: count("Impressions in the game on that day."),
    earned_microcents: microcents("What they have earned."),
  },
  "What one game has earned on one day.",
);
const earningsSchema = report(
  { total: earningsSum, row: gameDay },
  "Days on which a game has earned something, newest first, then by game.",
  "What the games have earned day by day.",
);
export type EarningsBody = Static<typeof earningsSchema>;

const advertiserEarnings = closed(
  {
    advertiser_id: nullable(
      answerText(
        "The advertiser; null: unknown, for impressions that were dropped before earnings were kept by advertiser and day.",
      ),
    ),
    company_name: nullable(answerText("Name of the company; null: unknown.")),
    brand_names: Type.Array(answerText("A brand."), {
      description: `Brands of its campaigns that were seen in the games, newest first; at most ${MAX_ADVERTISER_BRANDS}.`,
    }),
    impressions: count("Its impressions in the period."),
    earned_microcents: microcents("What they have earned."),
    total_earned_microcents: nullable(
      microcents("What all its impressions have earned, in the period and at any other time; null: unknown."),
    ),
  },
  "What the games have earned from one advertiser.",
);
const advertiserEarningsSchema = report(
  { total: earningsSum, row: advertiserEarnings },
  "Every advertiser ever seen in the games, most earned in the period first, then most earned of all, then by identifier.",
  "What the games have earned from each advertiser.",
);
export type AdvertiserEarningsBody = Static<typeof advertiserEarningsSchema>;

const advertiserEarningsCsv = `advertiser_id,company_name,impressions,earned_cents,total_earned_cents
${exampleIds.advertiser},Emberroast Coffee,60,50.400000,84.000000
`;

const earningsCsv = `date,game_id,impressions,earned_cents
2026-12-01,lantern-keep,60,50.400000
2026-11-30,lantern-keep,40,33.600000
`;

const common = { group: "analytics" } as const;
const ofEarnings = { group: "management", scope: "developer", addition: true } as const;

export const revenueApi = defineFeature({
  tag: "Revenue",
  description: "An advertiser's spending and a developer's earnings.",
  schemas: {
    AdvertiserRevenue: revenueSchema,
    CreatorRevenue: creatorRevenueSchema,
    GameRevenue: gameRevenueSchema,
    GameAdvertiser: gameAdvertiser,
    Earnings: earningsSchema,
    EarningsSum: earningsSum,
    GameDay: gameDay,
    EarningsByAdvertiser: advertiserEarningsSchema,
    AdvertiserEarnings: advertiserEarnings,
  },
  additions: [
    "AdvertiserRevenue.total_spent_millicents",
    "AdvertiserRevenue.campaigns.spent_millicents",
    "CreatorRevenue.total_earned_microcents",
    "CreatorRevenue.games.earned_microcents",
    "GameRevenue.earned_microcents",
    "GameRevenue.top_advertisers.earned_microcents",
    "GameRevenue.daily.earned_microcents",
  ],
  operations: {
    advertiser: operation("GET /revenue", {
      ...common,
      operationId: "getRevenue",
      scope: "advertiser",
      summary: "Read the advertiser's spending",
      description: "Totals over all campaigns, and each campaign, newest first.",
      success: [
        ok("The totals.", revenueSchema, {
          total_spent_cents: 2,
          total_spent_millicents: 2000,
          total_impressions: 1,
          active_campaigns: 1,
          balance_cents: 249_998,
          campaigns: [
            {
              campaign_id: exampleIds.campaign,
              name: "Winter in the taverns",
              spent_cents: 2,
              spent_millicents: 2000,
              impressions: 1,
              status: "active",
            },
          ],
        }),
      ],
      refusals: [registerFirst],
    }),
    creator: operation("GET /creator-revenue", {
      ...common,
      operationId: "getCreatorRevenue",
      scope: "developer",
      summary: "Read the developer's earnings",
      description: "Totals over all games of the key's account, and each game, most impressions first.",
      success: [
        ok("The totals.", creatorRevenueSchema, {
          total_earned_cents: 84,
          total_earned_microcents: 84_000_000,
          total_impressions: 100,
          games_count: 1,
          games: [
            {
              game_id: exampleIds.game,
              earned_cents: 84,
              earned_microcents: 84_000_000,
              impressions: 100,
              revenue_share_pct: 70,
            },
          ],
        }),
      ],
      refusals: [],
    }),
    game: operation("GET /creator-revenue/{game_id}", {
      ...common,
      operationId: "getGameRevenue",
      scope: "developer",
      summary: "What one game has earned",
      description: "Its totals, the advertisers seen in it, and the last 30 UTC days, newest first.",
      success: [
        ok("The game's earnings.", gameRevenueSchema, {
          game_id: exampleIds.game,
          earned_cents: 84,
          earned_microcents: 84_000_000,
          impressions: 100,
          revenue_share_pct: 70,
          top_advertisers: [
            {
              advertiser_id: exampleIds.advertiser,
              impressions: 100,
              earned_cents: 84,
              earned_microcents: 84_000_000,
            },
          ],
          daily: [
            { date: "2026-12-01", impressions: 60, earned_cents: 50, earned_microcents: 50_000_000 },
            { date: "2026-11-30", impressions: 40, earned_cents: 33, earned_microcents: 33_000_000 },
          ],
        }),
      ],
      refusals: ownGameOnly,
    }),
    gameAdvertisers: operation("GET /creator-revenue/{game_id}/advertisers", {
      ...common,
      operationId: "listGameAdvertisers",
      scope: "developer",
      addition: true,
      summary: "Who was seen in one game",
      description:
        "Each advertiser with its name, brands and lines, so that a developer knows whom a placement should block. Without `limit` a page has 500 rows.",
      paged: true,
      success: [
        ok("The advertisers.", gameAdvertiserListSchema, [
          {
            advertiser_id: exampleIds.advertiser,
            company_name: "Emberroast Coffee",
            brand_names: ["Emberroast"],
            recent_lines: ["The innkeeper sets down a steaming cup of Emberroast and nods toward the fire."],
            impressions: 100,
            earned_microcents: 84_000_000,
            is_blocked: false,
          },
        ]),
      ],
      refusals: ownGameOnly,
    }),
    earnings: operation("GET /earnings", {
      ...ofEarnings,
      operationId: "getEarnings",
      summary: "Read the games' earnings by day",
      description:
        "Exact earnings of each game and day of a period, newest day first. `?from=2026-12-01` is the month to date. Send `Accept: text/csv` for a table of all rows; without `limit` a page has 500 rows.",
      paged: true,
      query: [
        ...periodQuery(EARNINGS_DAYS, { days: 2, from: "2026-11-30", to: "2026-12-01" }),
        { name: "game_id", schema: earningsGameSchema, example: exampleIds.game },
        { name: "advertiser_id", schema: earningsAdvertiserSchema, example: exampleIds.advertiser },
      ],
      success: [
        ok(
          "The earnings.",
          earningsSchema,
          {
            from: "2026-11-30",
            to: "2026-12-01",
            total: { impressions: 100, earned_microcents: 84_000_000 },
            rows: [
              {
                date: "2026-12-01",
                game_id: exampleIds.game,
                impressions: 60,
                earned_microcents: 50_400_000,
              },
              {
                date: "2026-11-30",
                game_id: exampleIds.game,
                impressions: 40,
                earned_microcents: 33_600_000,
              },
            ],
          },
          { csv: earningsCsv },
        ),
      ],
      refusals: [...periodRefusals(EARNINGS_DAYS.maximum), blankFilter("game_id"), tooManyRows],
    }),
    earningsByAdvertiser: operation("GET /earnings/advertisers", {
      ...ofEarnings,
      operationId: "getEarningsByAdvertiser",
      summary: "Read the games' earnings by advertiser",
      description:
        "Exact earnings from each advertiser in a period; its days are in `GET /earnings?advertiser_id=…`. Send `Accept: text/csv` for a table of all rows; without `limit` a page has 500 rows.",
      paged: true,
      query: [
        ...periodQuery(EARNINGS_DAYS, { days: 1, from: "2026-12-01", to: "2026-12-01" }),
        { name: "game_id", schema: earningsGameSchema, example: exampleIds.game },
      ],
      success: [
        ok(
          "The earnings.",
          advertiserEarningsSchema,
          {
            from: "2026-12-01",
            to: "2026-12-01",
            total: { impressions: 60, earned_microcents: 50_400_000 },
            rows: [
              {
                advertiser_id: exampleIds.advertiser,
                company_name: "Emberroast Coffee",
                brand_names: ["Emberroast"],
                impressions: 60,
                earned_microcents: 50_400_000,
                total_earned_microcents: 84_000_000,
              },
            ],
          },
          { csv: advertiserEarningsCsv },
        ),
      ],
      refusals: [...periodRefusals(EARNINGS_DAYS.maximum), blankFilter("game_id"), tooManyRows],
    }),
  },
});
