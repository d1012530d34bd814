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
  /** At most three. */
  advertiser_ids: string[];
}

/** Values that active campaigns target in scene fields, in lower case where ASCII. */
function targets(ofAdvertiser: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
      SELECT type, lower(value COLLATE "C") AS value, advertiser_id FROM (
        SELECT affinities.affinity_type::text AS type, affinities.affinity_value AS value, campaigns.advertiser_id
        FROM campaigns JOIN affinities ON affinities.campaign_id = campaigns.id
        WHERE campaigns.status = 'active' AND ${ofAdvertiser}
          AND affinities.affinity_type IN ('theme', 'category', 'mood', 'location', 'action')
        UNION ALL
        SELECT 'category', unnest(target_categories), advertiser_id FROM campaigns
        WHERE status = 'active' AND ${ofAdvertiser}
        UNION ALL
        SELECT 'tag', unnest(target_tags), advertiser_id FROM campaigns WHERE status = 'active' AND ${ofAdvertiser}
      ) AS written`;
}

/** Values that active campaigns target in scene fields: those of most advertisers first. */
export function readTargets(reader: Reader, limit: number): Promise<TargetRow[]> {
  return reader.query<TargetRow>(Prisma.sql`
    SELECT type, value, (array_agg(advertiser_id))[1:3] AS advertiser_ids
    FROM (SELECT DISTINCT type, value, advertiser_id FROM (${targets(Prisma.sql`true`)}) AS every) AS targets
    GROUP BY type, value ORDER BY count(*) DESC, type, value LIMIT ${limit}`);
}

/** Values that active campaigns of the account target in scene fields: those of most campaigns first. */
export function readOwnTargets(
  reader: Reader,
  accountId: string,
  limit: number,
): Promise<Omit<TargetRow, "advertiser_ids">[]> {
  const own = Prisma.sql`advertiser_id = (SELECT id FROM advertisers WHERE account_id = ${accountId})`;
  return reader.query(Prisma.sql`
    SELECT type, value FROM (${targets(own)}) AS targets
    GROUP BY type, value ORDER BY count(*) DESC, type, value LIMIT ${limit}`);
}
