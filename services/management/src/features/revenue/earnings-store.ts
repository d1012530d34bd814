import { MAX_ADVERTISER_BRANDS } from "@diegetic/contracts";
import { Prisma, type Reader, safeInteger } from "@diegetic/database";
import type { Microcents } from "@diegetic/money";
import type { Window } from "../../core/shared/paging.ts";

/** An advertiser in a game, with creatives by which a developer recognises it. */
export interface GameAdvertiserRow {
  advertiser_id: string;
  company_name: string;
  /** Newest first. */
  creatives: [brand: string, line: string | null][] | null;
  impressions: bigint;
  earned: string;
  is_blocked: boolean;
}

/** Stands for the advertiser of earnings whose impressions were dropped. */
const UNKNOWN_ADVERTISER = "";

/** Maximum creatives read to find distinct brands and lines. */
const MAX_CREATIVES = 50;

/** One page of the advertisers in a game of the account, most impressions first. */
export async function readGameAdvertisers(
  reader: Reader,
  { accountId, gameId }: { accountId: string; gameId: string },
  { limit, offset }: Window,
): Promise<{ rows: GameAdvertiserRow[]; hasMore: boolean }> {
  const rows = await reader.query<GameAdvertiserRow>(Prisma.sql`
    WITH page AS (
      SELECT advertiser_id, sum(impressions)::bigint AS impressions, sum(earning_microcents)::text AS earned
      FROM campaign_games WHERE account_id = ${accountId} AND game_id = ${gameId}
      GROUP BY advertiser_id ORDER BY sum(impressions) DESC, advertiser_id COLLATE "C"
      LIMIT ${limit + 1} OFFSET ${offset}
    )
    SELECT page.*, advertisers.company_name,
      (SELECT page.advertiser_id = ANY(blocked_advertisers) FROM placements WHERE game_id = ${gameId}) AS is_blocked,
      (SELECT json_agg(json_build_array(brand_name, nullif(narrative_hook, '')) ORDER BY id DESC)
        FROM (
          SELECT creatives.id, creatives.brand_name, creatives.narrative_hook
          FROM campaign_games AS seen JOIN creatives ON creatives.campaign_id = seen.campaign_id
          WHERE seen.account_id = ${accountId} AND seen.game_id = ${gameId}
            AND seen.advertiser_id = page.advertiser_id AND creatives.impressions > 0
          ORDER BY creatives.id DESC LIMIT ${MAX_CREATIVES}
        ) AS recent) AS creatives
    FROM page JOIN advertisers ON advertisers.id = page.advertiser_id
    ORDER BY page.impressions DESC, page.advertiser_id COLLATE "C"`);
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
}

export interface GameDayEarnings {
  /** YYYY-MM-DD */
  day: string;
  gameId: string;
  impressions: number;
  earnedMicrocents: Microcents;
}

/** Earnings of a period. */
export interface EarningsReport<Row> {
  /** Sums of the whole period, including rows on other pages. */
  impressions: number;
  earnedMicrocents: Microcents;
  rows: Row[];
  hasMore: boolean;
}

export const NO_EARNINGS: EarningsReport<never> = {
  impressions: 0,
  earnedMicrocents: 0n,
  rows: [],
  hasMore: false,
};

/** The first columns of every row of a report. */
interface TotalsRow {
  total_impressions: bigint;
  total_earned: string;
}

function reportOf<Row>(
  [total]: readonly TotalsRow[],
  earnings: Row[],
  { limit }: Window,
): EarningsReport<Row> {
  return {
    impressions: safeInteger(total?.total_impressions ?? 0n, "impressions"),
    earnedMicrocents: BigInt(total?.total_earned ?? 0),
    rows: earnings.slice(0, limit),
    hasMore: earnings.length > limit,
  };
}

interface EarningsRow extends TotalsRow {
  /** Null: nothing was earned. */
  day: string | null;
  game_id: string;
  impressions: bigint;
  earned: string;
}

/** Days YYYY-MM-DD, both inclusive. */
interface RequestedEarnings {
  accountId: string;
  gameId: string | undefined;
  from: string;
  to: string;
}

function inPeriod({ accountId, gameId, from, to }: RequestedEarnings): Prisma.Sql {
  return Prisma.sql`account_id = ${accountId} AND day BETWEEN ${from}::date AND ${to}::date AND ${ofGame(gameId)}`;
}

/** One text with and without a game, because each text is prepared once. */
function ofGame(gameId: string | undefined): Prisma.Sql {
  return Prisma.sql`(${gameId ?? null}::text IS NULL OR game_id = ${gameId ?? null}::text)`;
}

export async function readEarnings(
  reader: Reader,
  requested: RequestedEarnings & { advertiserId: string | undefined },
  window: Window,
): Promise<EarningsReport<GameDayEarnings>> {
  const { limit, offset } = window;
  const { advertiserId } = requested;
  const source =
    advertiserId === undefined
      ? Prisma.sql`game_rollups WHERE ${inPeriod(requested)}`
      : Prisma.sql`game_advertiser_rollups WHERE ${inPeriod(requested)} AND advertiser_id = ${advertiserId}`;
  const rows = await reader.query<EarningsRow>(Prisma.sql`
    WITH found AS (
      SELECT day, game_id, impressions, earning_microcents FROM ${source}
    ), total AS (
      SELECT COALESCE(sum(impressions), 0)::bigint AS total_impressions,
        COALESCE(sum(earning_microcents), 0)::text AS total_earned FROM found
    ), page AS (
      SELECT to_char(day, 'YYYY-MM-DD') AS day, game_id, impressions, earning_microcents::text AS earned FROM found
      ORDER BY found.day DESC, game_id COLLATE "C" LIMIT ${limit + 1} OFFSET ${offset}
    )
    SELECT total.*, page.* FROM total LEFT JOIN page ON true
    ORDER BY page.day DESC, page.game_id COLLATE "C"`);
  const earnings = rows.flatMap(({ day, ...row }) =>
    day === null
      ? []
      : {
          day,
          gameId: row.game_id,
          impressions: safeInteger(row.impressions, "impressions"),
          earnedMicrocents: BigInt(row.earned),
        },
  );
  return reportOf(rows, earnings, window);
}

/** Null: unknown. */
export interface AdvertiserEarnings {
  advertiserId: string | null;
  companyName: string | null;
  brandNames: string[];
  impressions: number;
  earnedMicrocents: Microcents;
  totalEarnedMicrocents: Microcents | null;
}

interface AdvertiserEarningsRow extends TotalsRow {
  /** Null: nothing was ever earned. */
  advertiser_id: string | null;
  company_name: string | null;
  /** Newest first. */
  brands: string[] | null;
  impressions: bigint;
  earned: string;
  ever_earned: string;
}

/** @param hasBrands one lookup per row: too slow for a whole table */
export async function readEarningsByAdvertiser(
  reader: Reader,
  requested: RequestedEarnings & { hasBrands: boolean },
  window: Window,
): Promise<EarningsReport<AdvertiserEarnings>> {
  const { limit, offset } = window;
  const brands = requested.hasBrands
    ? Prisma.sql`(SELECT json_agg(brand_name ORDER BY id DESC) FROM (
        SELECT id, brand_name FROM creatives WHERE campaign_id = ANY(page.campaign_ids) AND impressions > 0
        ORDER BY id DESC LIMIT ${MAX_CREATIVES}
      ) AS recent)`
    : Prisma.sql`NULL::json`;
  // Campaigns are hashed, because `array_agg(DISTINCT …)` would sort all games of all campaigns.
  const rows = await reader.query<AdvertiserEarningsRow>(Prisma.sql`
    WITH found AS (
      SELECT advertiser_id, sum(impressions)::bigint AS impressions, sum(earning_microcents) AS earned
      FROM game_advertiser_rollups WHERE ${inPeriod(requested)} GROUP BY 1
    ), ever AS (
      SELECT advertiser_id, sum(earned) AS earned, array_agg(campaign_id) AS campaign_ids
      FROM (
        SELECT advertiser_id, campaign_id, sum(earning_microcents) AS earned
        FROM campaign_games WHERE account_id = ${requested.accountId} AND ${ofGame(requested.gameId)} GROUP BY 1, 2
      ) AS by_campaign GROUP BY 1
    ), total AS (
      SELECT COALESCE(sum(impressions), 0)::bigint AS total_impressions, COALESCE(sum(earned), 0)::text AS total_earned
      FROM found
    ), page AS (
      SELECT advertiser_id, COALESCE(found.impressions, 0) AS impressions, COALESCE(found.earned, 0) AS earned,
        COALESCE(ever.earned, 0) AS ever_earned, ever.campaign_ids
      FROM found FULL JOIN ever USING (advertiser_id)
      ORDER BY COALESCE(found.earned, 0) DESC, COALESCE(ever.earned, 0) DESC, advertiser_id COLLATE "C" LIMIT ${limit + 1} OFFSET ${offset}
    )
    SELECT total.*, page.advertiser_id, page.impressions, page.earned::text, page.ever_earned::text,
      advertisers.company_name, ${brands} AS brands
    FROM total LEFT JOIN page ON true LEFT JOIN advertisers ON advertisers.id = page.advertiser_id
    ORDER BY page.earned DESC, page.ever_earned DESC, page.advertiser_id COLLATE "C"`);
  const advertisers = rows.flatMap(({ advertiser_id: id, ...row }) =>
    id === null
      ? []
      : {
          advertiserId: id === UNKNOWN_ADVERTISER ? null : id,
          companyName: row.company_name,
          brandNames: [...new Set(row.brands)].slice(0, MAX_ADVERTISER_BRANDS),
          impressions: safeInteger(row.impressions, "impressions"),
          earnedMicrocents: BigInt(row.earned),
          totalEarnedMicrocents: id === UNKNOWN_ADVERTISER ? null : BigInt(row.ever_earned),
        },
  );
  return reportOf(rows, advertisers, window);
}
