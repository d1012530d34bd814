import Type, { type Static } from "typebox";
import {
  answerText,
  CAMPAIGN_STATUSES,
  closed,
  count,
  microcents,
  millicents,
  oneOf,
  utcDate,
} from "./fields.ts";

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

const revenueSharePct = () =>
  Type.Number({ minimum: 0, maximum: 100, description: "The developer's present share, in percent." });

const creatorGame = closed(
  {
    game_id: answerText("The game."),
    earned_cents: count("What the game has earned, in whole cents, rounded down."),
    earned_microcents: microcents("What the game has earned."),
    impressions: count("Impressions in the game."),
    revenue_share_pct: revenueSharePct(),
  },
  "One game of the account.",
);

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
    impressions: count("His impressions in the game."),
    earned_cents: count("What they have earned, in whole cents, rounded down."),
    earned_microcents: microcents("What they have earned."),
  },
  "An advertiser seen in the game.",
);

const earningsDay = closed(
  {
    date: Type.String({ format: "date", description: "The UTC day, YYYY-MM-DD." }),
    impressions: count("Impressions in the game on that day."),
    earned_cents: count("What they have earned, in whole cents, rounded down."),
    earned_microcents: microcents("What they have earned."),
  },
  "A day of the game.",
);

export const gameRevenueSchema = closed(
  {
    game_id: answerText("The game."),
    earned_cents: count("What the game has earned, in whole cents, rounded down."),
    earned_microcents: microcents("What the game has earned."),
    impressions: count("Impressions in the game."),
    revenue_share_pct: revenueSharePct(),
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
export const ADVERTISER_BRANDS = 5;
export const ADVERTISER_LINES = 3;

const gameAdvertiser = closed(
  {
    advertiser_id: answerText("The advertiser: what a placement's blocked_advertisers takes."),
    company_name: answerText("Name of the company."),
    brand_names: Type.Array(answerText("A brand."), {
      description: `Brands of its campaigns that were seen in the game, newest first; at most ${ADVERTISER_BRANDS}.`,
    }),
    recent_lines: Type.Array(answerText("A line."), {
      description: `Lines of these campaigns, newest first; at most ${ADVERTISER_LINES}.`,
    }),
    impressions: count("Its impressions in the game."),
    earned_microcents: microcents("What they have earned."),
    is_blocked: Type.Boolean({ description: "Whether the placement blocks the advertiser now." }),
  },
  "An advertiser seen in the game, as a developer recognises it.",
);
export const gameAdvertiserListSchema = Type.Array(gameAdvertiser, {
  description: "The advertisers seen in the game, most impressions first, then by identifier.",
});
export type GameAdvertiserListBody = Static<typeof gameAdvertiserListSchema>;

/** Days of the earnings, counted back; also the maximum period between two days. */
export const EARNINGS_DAYS = { minimum: 1, maximum: 366, default: 30 } as const;
export const earningsFromSchema = utcDate("The first day; without it 30 days back from the last.");
export const earningsToSchema = utcDate("The last day; today where it is left out or lies ahead.");
export const earningsGameSchema = Type.String({
  minLength: 1,
  maxLength: 200,
  description: "Only this game of the account.",
});

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
export const earningsSchema = closed(
  {
    from: utcDate("The first day of the period."),
    to: utcDate("The last day of the period."),
    total: earningsSum,
    rows: Type.Array(gameDay, {
      description: "Days on which a game has earned something, newest first, then by game.",
    }),
  },
  "What the games have earned day by day.",
);
export type EarningsBody = Static<typeof earningsSchema>;
