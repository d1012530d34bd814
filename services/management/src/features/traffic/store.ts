import { Prisma, type Reader, safeInteger } from "@diegetic/database";
import type { Microcents } from "@diegetic/money";
import type { Window } from "../../core/shared/paging.ts";
import { GAMES } from "../revenue/store.ts";

/** A game of the account with its billed impressions. */
export interface GameRow {
  gameId: string;
  isActive: boolean;
  impressions: number;
  earnedMicrocents: Microcents;
}

/** One page of the account's games by identifier. */
export async function readGamePage(
  reader: Reader,
  accountId: string,
  { limit, offset }: Window,
): Promise<{ rows: GameRow[]; hasMore: boolean }> {
  const rows = await reader.query<{
    game_id: string;
    is_active: boolean;
    impressions: bigint;
    earned: string;
  }>(Prisma.sql`
    SELECT placements.game_id, placements.is_active, COALESCE(totals.impressions, 0) AS impressions,
      COALESCE(totals.earning_microcents, 0)::text AS earned
    FROM ${GAMES}
    WHERE placements.account_id = ${accountId}
    ORDER BY placements.game_id LIMIT ${limit + 1} OFFSET ${offset}`);
  return {
    rows: rows.slice(0, limit).map((row) => ({
      gameId: row.game_id,
      isActive: row.is_active,
      impressions: safeInteger(row.impressions, "impressions"),
      earnedMicrocents: BigInt(row.earned),
    })),
    hasMore: rows.length > limit,
  };
}

/** Games of the account, most impressions first. */
export async function readOwnGames(reader: Reader, accountId: string, limit: number): Promise<string[]> {
  const rows = await reader.query<{ game_id: string }>(Prisma.sql`
    SELECT placements.game_id
    FROM ${GAMES}
    WHERE placements.account_id = ${accountId}
    ORDER BY COALESCE(totals.impressions, 0) DESC, placements.game_id LIMIT ${limit}`);
  return rows.map(({ game_id }) => game_id);
}

/** Games of all accounts, most impressions first. */
export async function readMarketGames(
  reader: Reader,
  limit: number,
): Promise<{ gameId: string; accountId: string }[]> {
  const rows = await reader.query<{ game_id: string; account_id: string }>(Prisma.sql`
    SELECT placements.game_id, placements.account_id
    FROM ${GAMES}
    WHERE placements.is_active
    ORDER BY COALESCE(totals.impressions, 0) DESC, placements.game_id LIMIT ${limit}`);
  return rows.map((row) => ({ gameId: row.game_id, accountId: row.account_id }));
}

/** A value that active campaigns target. */
export interface TargetRow {
  /** A scene field, or `tag`. */
  type: string;
  value: string;
  advertiser_id: string;
}

/** Values that active campaigns target in scene fields, each once per advertiser; equally many of each advertiser if limited. */
export function readTargets(reader: Reader, limit: number): Promise<TargetRow[]> {
  return reader.query<TargetRow>(Prisma.sql`
    SELECT type, value, advertiser_id, row_number() OVER (PARTITION BY advertiser_id ORDER BY type, value) AS ordinal
    FROM (
      SELECT affinities.affinity_type::text AS type, affinities.affinity_value AS value, campaigns.advertiser_id
      FROM campaigns JOIN affinities ON affinities.campaign_id = campaigns.id
      WHERE campaigns.status = 'active'
        AND affinities.affinity_type IN ('theme', 'category', 'mood', 'location', 'action')
      UNION ALL
      SELECT 'category', unnest(target_categories), advertiser_id FROM campaigns WHERE status = 'active'
      UNION ALL
      SELECT 'tag', unnest(target_tags), advertiser_id FROM campaigns WHERE status = 'active'
    ) AS targets
    GROUP BY type, value, advertiser_id
    ORDER BY ordinal, advertiser_id LIMIT ${limit}`);
}

/** The advertiser of the account; undefined: it has not registered. */
export async function readOwnAdvertiser(reader: Reader, accountId: string): Promise<string | undefined> {
  const [row] = await reader.query<{ id: string }>(
    Prisma.sql`SELECT id FROM advertisers WHERE account_id = ${accountId}`,
  );
  return row?.id;
}
