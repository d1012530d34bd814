import type { CampaignStatus } from "@diegetic/contracts";
import { Prisma, type Reader, safeInteger } from "@diegetic/database";
import type { BasisPoints, Microcents, Millicents } from "@diegetic/money";
import { type CallerReads, type CallerRow, callerIs } from "../../core/read-your-writes/caller-reads.ts";

export interface AdvertiserRevenue {
  depositedMillicents: Millicents;
  spentMillicents: Millicents;
  impressions: number;
  /** Newest first. */
  campaigns: {
    id: string;
    name: string;
    status: CampaignStatus;
    spentMillicents: Millicents;
    impressions: number;
  }[];
}

interface RevenueRow extends CallerRow {
  deposited_millicents: bigint;
  total_spent_millicents: bigint;
  total_impressions: bigint;
  /** Null: there are no campaigns. */
  id: string | null;
  name: string;
  status: CampaignStatus;
  spent_millicents: bigint;
  impressions: bigint;
}

/** Throws 403 before registration. */
export async function readAdvertiserRevenue(
  reads: CallerReads,
  accountId: string,
): Promise<AdvertiserRevenue> {
  const rows = await reads.rows<RevenueRow>(
    accountId,
    Prisma.sql`
    WITH ${callerIs(accountId)}
    SELECT caller.id AS caller_id, caller.written, caller.deposited_millicents,
      caller.spent_millicents AS total_spent_millicents, caller.impressions AS total_impressions,
      campaigns.id, campaigns.name, campaigns.status::text AS status, campaigns.spent_millicents, campaigns.impressions
    FROM caller LEFT JOIN campaigns ON campaigns.advertiser_id = caller.id
    ORDER BY campaigns.id DESC`,
  );
  const [totals] = rows;
  return {
    depositedMillicents: safeInteger(totals.deposited_millicents, "deposited"),
    spentMillicents: safeInteger(totals.total_spent_millicents, "spent"),
    impressions: safeInteger(totals.total_impressions, "impressions"),
    campaigns: rows.flatMap(({ id, name, status, ...row }) =>
      id === null
        ? []
        : {
            id,
            name,
            status,
            spentMillicents: safeInteger(row.spent_millicents, "spent"),
            impressions: safeInteger(row.impressions, "impressions"),
          },
    ),
  };
}

export interface GameEarnings {
  gameId: string;
  revenueShareBasisPoints: BasisPoints;
  impressions: number;
  earnedMicrocents: Microcents;
}

interface GameRow {
  game_id: string;
  revenue_share_basis_points: number;
  impressions: bigint;
  earned: string;
}

const GAME_COLUMNS = Prisma.sql`placements.game_id, placements.revenue_share_basis_points,
      COALESCE(totals.impressions, 0) AS impressions, COALESCE(totals.earning_microcents, 0)::text AS earned`;
/** Games, with what they have earned if anything. */
export const GAMES = Prisma.sql`placements LEFT JOIN game_totals AS totals
      ON totals.account_id = placements.account_id AND totals.game_id = placements.game_id`;

function gameEarnings(row: GameRow): GameEarnings {
  return {
    gameId: row.game_id,
    revenueShareBasisPoints: row.revenue_share_basis_points,
    impressions: safeInteger(row.impressions, "impressions"),
    earnedMicrocents: BigInt(row.earned),
  };
}

/** Earnings of each game of the account, most impressions first, then by identifier. */
export async function readGameEarnings(reader: Reader, accountId: string): Promise<GameEarnings[]> {
  const rows = await reader.query<GameRow>(Prisma.sql`
    SELECT ${GAME_COLUMNS} FROM ${GAMES} WHERE placements.account_id = ${accountId}
    ORDER BY impressions DESC, placements.game_id COLLATE "C"`);
  return rows.map(gameEarnings);
}

export interface EarningsRow {
  /** The advertiser, or the UTC day (YYYY-MM-DD). */
  name: string;
  impressions: number;
  earnedMicrocents: Microcents;
}

/** One game of the account, with its advertisers and days. */
export interface GameDetails {
  accountId: string;
  game: GameEarnings;
  /** Most impressions first, then by identifier. */
  advertisers: EarningsRow[];
  /** Days with earnings. */
  days: EarningsRow[];
}

/** Name, impressions, microcents: as text, because JSON has no exact 64-bit numbers. */
type EarningsTuple = [name: string, impressions: string, earned: string];

interface GameDetailsRow extends GameRow {
  account_id: string;
  advertisers: EarningsTuple[] | null;
  days: EarningsTuple[] | null;
}

/**
 * The placement of a game of any account, and the caller's earnings in it: the first `maxAdvertisers` advertisers, and
 * the days from `firstDay` (YYYY-MM-DD) on. Undefined: no placement. Read at one moment.
 */
export async function readGameDetails(
  reader: Reader,
  caller: { accountId: string; gameId: string },
  { maxAdvertisers, firstDay }: { maxAdvertisers: number; firstDay: string },
): Promise<GameDetails | undefined> {
  const { accountId, gameId } = caller;
  const [row] = await reader.query<GameDetailsRow>(Prisma.sql`
    SELECT placements.account_id, ${GAME_COLUMNS},
      (SELECT json_agg(json_build_array(advertiser_id, impressions::text, earned) ORDER BY impressions DESC, advertiser_id COLLATE "C")
        FROM (
          SELECT advertiser_id, sum(impressions)::bigint AS impressions, sum(earning_microcents)::text AS earned
          FROM campaign_games WHERE account_id = ${accountId} AND game_id = ${gameId}
          GROUP BY advertiser_id ORDER BY sum(impressions) DESC, advertiser_id COLLATE "C" LIMIT ${maxAdvertisers}
        ) AS top) AS advertisers,
      (SELECT json_agg(json_build_array(to_char(day, 'YYYY-MM-DD'), impressions::text, earning_microcents::text))
        FROM game_rollups
        WHERE account_id = ${accountId} AND game_id = ${gameId} AND day >= ${firstDay}::date) AS days
    FROM ${GAMES} WHERE placements.game_id = ${gameId}`);
  if (row === undefined) return undefined;
  return {
    accountId: row.account_id,
    game: gameEarnings(row),
    advertisers: (row.advertisers ?? []).map(earningsRow),
    days: (row.days ?? []).map(earningsRow),
  };
}

function earningsRow([name, impressions, earned]: EarningsTuple): EarningsRow {
  return {
    name,
    impressions: safeInteger(BigInt(impressions), "impressions"),
    earnedMicrocents: BigInt(earned),
  };
}

/** The owner of a requested game; undefined: there is no placement. */
export async function readGameOwner(
  reader: Reader,
  gameId: string,
): Promise<{ accountId: string } | undefined> {
  const [row] = await reader.query<{ account_id: string }>(
    Prisma.sql`SELECT account_id FROM placements WHERE game_id = ${gameId}`,
  );
  return row && { accountId: row.account_id };
}
