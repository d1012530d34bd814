import type { CampaignStatus } from "@diegetic/contracts";
import { type Database, dateOfDay, Prisma, safeInteger, type Transaction } from "@diegetic/database";
import type { BasisPoints, Microcents, Millicents } from "@diegetic/money";
import { readAtOneMoment } from "../shared/one-moment.ts";

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

export async function readAdvertiserRevenue(
  database: Database,
  advertiserId: string,
): Promise<AdvertiserRevenue> {
  return readAtOneMoment(database, async (transaction) => {
    const advertiser = await transaction.advertiser.findUniqueOrThrow({ where: { id: advertiserId } });
    const campaigns = await transaction.campaign.findMany({
      where: { advertiserId },
      select: { id: true, name: true, status: true, spentMillicents: true, impressions: true },
      orderBy: { id: "desc" },
    });
    return {
      depositedMillicents: safeInteger(advertiser.depositedMillicents, "deposited"),
      spentMillicents: safeInteger(advertiser.spentMillicents, "spent"),
      impressions: safeInteger(advertiser.impressions, "impressions"),
      campaigns: campaigns.map((campaign) => ({
        ...campaign,
        spentMillicents: safeInteger(campaign.spentMillicents, "spent"),
        impressions: safeInteger(campaign.impressions, "impressions"),
      })),
    };
  });
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

/** What each game of the account has earned, most impressions first, then by identifier; one game where it is named. */
export async function readGameEarnings(
  client: Database | Transaction,
  accountId: string,
  gameId?: string,
): Promise<GameEarnings[]> {
  const only = gameId === undefined ? Prisma.empty : Prisma.sql`AND placements.game_id = ${gameId}`;
  const rows = await client.$queryRaw<GameRow[]>`
    SELECT placements.game_id, placements.revenue_share_basis_points,
      COALESCE(totals.impressions, 0) AS impressions, COALESCE(totals.earning_microcents, 0)::text AS earned
    FROM placements
    LEFT JOIN game_totals AS totals
      ON totals.account_id = placements.account_id AND totals.game_id = placements.game_id
    WHERE placements.account_id = ${accountId} ${only}
    ORDER BY impressions DESC, placements.game_id COLLATE "C"`;
  return rows.map((row) => ({
    gameId: row.game_id,
    revenueShareBasisPoints: row.revenue_share_basis_points,
    impressions: safeInteger(row.impressions, "impressions"),
    earnedMicrocents: BigInt(row.earned),
  }));
}

export interface EarningsRow {
  /** The advertiser, or the UTC day (YYYY-MM-DD). */
  name: string;
  impressions: number;
  earnedMicrocents: Microcents;
}

/** One game of the account, with its advertisers and days. */
export interface GameDetails {
  game: GameEarnings;
  /** Most impressions first, then by identifier. */
  advertisers: EarningsRow[];
  /** Days on which something was earned. */
  days: EarningsRow[];
}

/**
 * What a game of the account has earned: of its advertisers the first `mostAdvertisers`, of its days those from
 * `firstDay` (YYYY-MM-DD) on. Undefined: the account has no such game.
 */
export async function readGameDetails(
  database: Database,
  owner: { accountId: string; gameId: string },
  { mostAdvertisers, firstDay }: { mostAdvertisers: number; firstDay: string },
): Promise<GameDetails | undefined> {
  return readAtOneMoment(database, async (transaction) => {
    const [game] = await readGameEarnings(transaction, owner.accountId, owner.gameId);
    if (game === undefined) return undefined;
    const advertisers = await readTopAdvertisers(transaction, owner, mostAdvertisers);
    return { game, advertisers, days: await readEarningDays(transaction, owner, firstDay) };
  });
}

/** Who was seen in a game: most impressions first, then by identifier. */
async function readTopAdvertisers(
  client: Database | Transaction,
  owner: { accountId: string; gameId: string },
  limit: number,
): Promise<EarningsRow[]> {
  const rows = await client.$queryRaw<{ name: string; impressions: bigint; earned: string }[]>`
    SELECT advertiser_id AS name, impressions, earning_microcents::text AS earned
    FROM game_advertisers WHERE account_id = ${owner.accountId} AND game_id = ${owner.gameId}
    ORDER BY impressions DESC, advertiser_id COLLATE "C" LIMIT ${limit}`;
  return rows.map(earningsRow);
}

/** Days of a game on which something was earned, from `firstDay` (YYYY-MM-DD) on. */
async function readEarningDays(
  client: Database | Transaction,
  owner: { accountId: string; gameId: string },
  firstDay: string,
): Promise<EarningsRow[]> {
  const rows = await client.$queryRaw<{ name: string; impressions: bigint; earned: string }[]>`
    SELECT to_char(day, 'YYYY-MM-DD') AS name, impressions, earning_microcents::text AS earned
    FROM game_rollups
    WHERE account_id = ${owner.accountId} AND game_id = ${owner.gameId} AND day >= ${dateOfDay(firstDay)}::date`;
  return rows.map(earningsRow);
}

function earningsRow(row: { name: string; impressions: bigint; earned: string }): EarningsRow {
  return {
    name: row.name,
    impressions: safeInteger(row.impressions, "impressions"),
    earnedMicrocents: BigInt(row.earned),
  };
}
