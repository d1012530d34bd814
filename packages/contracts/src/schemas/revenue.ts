import Type, { type Static } from "typebox";
import { answerText, CAMPAIGN_STATUSES, closed, count, oneOf } from "./fields.ts";

const revenueCampaign = closed(
  {
    campaign_id: answerText("The campaign."),
    name: answerText("Name of the campaign."),
    spent_cents: count("What the campaign has spent, in whole cents, rounded up."),
    impressions: count("Impressions so far."),
    status: oneOf(CAMPAIGN_STATUSES, "Only an active campaign is served."),
  },
  "One campaign of the advertiser.",
);

export const revenueSchema = closed(
  {
    total_spent_cents: count("What all campaigns have spent, in whole cents, rounded up."),
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
    impressions: count("Impressions in the game."),
    revenue_share_pct: revenueSharePct(),
  },
  "One game of the account.",
);

export const creatorRevenueSchema = closed(
  {
    total_earned_cents: count("What all games have earned, in whole cents, rounded down."),
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
  },
  "An advertiser seen in the game.",
);

const earningsDay = closed(
  {
    date: Type.String({ format: "date", description: "The UTC day, YYYY-MM-DD." }),
    impressions: count("Impressions in the game on that day."),
    earned_cents: count("What they have earned, in whole cents, rounded down."),
  },
  "A day of the game.",
);

export const gameRevenueSchema = closed(
  {
    game_id: answerText("The game."),
    earned_cents: count("What the game has earned, in whole cents, rounded down."),
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
