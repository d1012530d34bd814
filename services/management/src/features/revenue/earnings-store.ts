import { ADVERTISER_BRANDS, ADVERTISER_LINES } from "@diegetic/contracts";
import { Prisma, type Reader, safeInteger } from "@diegetic/database";
import type { Microcents } from "@diegetic/money";
import { MAX_CSV_ROWS } from "../../core/shared/csv-answer.ts";
import type { Window } from "../../core/shared/paging.ts";

/** An advertiser in a game, with creatives by which a developer recognises it. */
export interface GameAdvertiser {
  advertiserId: string;
  companyName: string;
  brandNames: string[];
  recentLines: string[];
  impressions: number;
  earnedMicrocents: Microcents;
  isBlocked: boolean;
}

interface GameAdvertiserRow {
  advertiser_id: string;
  company_name: string;
  /** Newest first. */
  creatives: [brand: string, line: string | null][] | null;
  impressions: bigint;
  earned: string;
  is_blocked: boolean;
}

/** Maximum creatives read to find distinct brands and lines. */
const CREATIVES_READ = 50;

/** One page of the advertisers in a game of the account, most impressions first. */
export async function readGameAdvertisers(
  reader: Reader,
  { accountId, gameId }: { accountId: string; gameId: string },
  { limit, offset }: Window,
): Promise<{ rows: GameAdvertiser[]; hasMore: boolean }> {
  const rows = await reader.query<GameAdvertiserRow>(Prisma.sql`
    WITH page AS (
      SELECT advertiser_id, sum(impressions)::bigint AS impressions, sum(earning_microcents)::text AS earned
      FROM campaign_games WHERE account_id = ${accountId} AND game_id = ${gameId}
      GROUP BY advertiser_id ORDER BY sum(impressions) DESC, advertiser_id COLLATE "C"
      LIMIT ${limit + 1} OFFSET ${offset}
    )
    SELECT page.*, advertisers.company_name,
      (SELECT page.advertiser_id = ANY(blocked_advertisers) FROM placements WHERE game_id = ${gameId}) AS is_blocked,
      (SELECT json_agg(json_build_array(brand_name, narrative_hook) ORDER BY id DESC)
        FROM (
          SELECT creatives.id, creatives.brand_name, creatives.narrative_hook
          FROM campaign_games AS seen JOIN creatives ON creatives.campaign_id = seen.campaign_id
          WHERE seen.account_id = ${accountId} AND seen.game_id = ${gameId}
            AND seen.advertiser_id = page.advertiser_id AND creatives.impressions > 0
          ORDER BY creatives.id DESC LIMIT ${CREATIVES_READ}
        ) AS recent) AS creatives
    FROM page JOIN advertisers ON advertisers.id = page.advertiser_id
    ORDER BY page.impressions DESC, page.advertiser_id COLLATE "C"`);
  return { rows: rows.slice(0, limit).map(gameAdvertiser), hasMore: rows.length > limit };
}

function gameAdvertiser(row: GameAdvertiserRow): GameAdvertiser {
  const creatives = row.creatives ?? [];
  const lines = creatives.flatMap(([, line]) => (line === null ? [] : [line]));
  return {
    advertiserId: row.advertiser_id,
    companyName: row.company_name,
    brandNames: [...new Set(creatives.map(([brand]) => brand))].slice(0, ADVERTISER_BRANDS),
    recentLines: [...new Set(lines)].slice(0, ADVERTISER_LINES),
    impressions: safeInteger(row.impressions, "impressions"),
    earnedMicrocents: BigInt(row.earned),
    isBlocked: row.is_blocked,
  };
}

export interface GameDayEarnings {
  /** YYYY-MM-DD */
  day: string;
  gameId: string;
  impressions: number;
  earnedMicrocents: Microcents;
}

export interface Earnings {
  /** Sums of the whole period, including rows on other pages. */
  impressions: number;
  earnedMicrocents: Microcents;
  rows: GameDayEarnings[];
  hasMore: boolean;
}

export const NO_EARNINGS: Earnings = { impressions: 0, earnedMicrocents: 0n, rows: [], hasMore: false };

interface EarningsRow {
  total_impressions: bigint;
  total_earned: string;
  /** Null: nothing was earned. */
  day: string | null;
  game_id: string;
  impressions: bigint;
  earned: string;
}

/** @param window undefined: all rows, at most one more than a table may have */
export async function readEarnings(
  reader: Reader,
  requested: { accountId: string; gameId: string | undefined; from: string; to: string },
  window: Window | undefined,
): Promise<Earnings> {
  const { limit, offset } = window ?? { limit: MAX_CSV_ROWS, offset: 0 };
  const rows = await reader.query<EarningsRow>(Prisma.sql`
    WITH found AS (
      SELECT day, game_id, impressions, earning_microcents FROM game_rollups
      WHERE account_id = ${requested.accountId} AND day BETWEEN ${requested.from}::date AND ${requested.to}::date
        AND (${requested.gameId ?? null}::text IS NULL OR game_id = ${requested.gameId ?? null}::text)
    ), total AS (
      SELECT COALESCE(sum(impressions), 0)::bigint AS total_impressions,
        COALESCE(sum(earning_microcents), 0)::text AS total_earned FROM found
    ), page AS (
      SELECT to_char(day, 'YYYY-MM-DD') AS day, game_id, impressions, earning_microcents::text AS earned FROM found
      ORDER BY found.day DESC, game_id COLLATE "C" LIMIT ${limit + 1} OFFSET ${offset}
    )
    SELECT total.*, page.* FROM total LEFT JOIN page ON true
    ORDER BY page.day DESC, page.game_id COLLATE "C"`);
  const [total] = rows;
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
  return {
    impressions: safeInteger(total?.total_impressions ?? 0n, "impressions"),
    earnedMicrocents: BigInt(total?.total_earned ?? 0),
    rows: window === undefined ? earnings : earnings.slice(0, limit),
    hasMore: earnings.length > limit,
  };
}
