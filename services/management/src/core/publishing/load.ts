import type { MemberRole } from "@diegetic/contracts";
import { type Database, type Pipeline, Prisma, type Statements, safeInteger } from "@diegetic/database";
import { readCampaigns, type WholeCampaign } from "../campaign-rows/statements.ts";

export type AdvertiserRow = Prisma.AdvertiserGetPayload<object>;
export type PlacementRow = Prisma.PlacementGetPayload<object>;
export type ApiKeyRow = Prisma.ApiKeyGetPayload<object>;
/** A session with the user's role in the account; null: the user is no longer a member. */
export type SessionRow = Prisma.AccountSessionGetPayload<object> & { role: MemberRole | null };

/**
 * Locks campaigns and loads them with their parts. Parts are read by a statement that starts after the lock, because a
 * statement that waited for the lock re-reads only the locked row.
 * @param skipLocked omits campaigns that another transaction has locked, instead of waiting
 */
export async function lockCampaigns(
  statements: Statements,
  ids: readonly string[],
  { skipLocked }: { skipLocked: boolean },
): Promise<WholeCampaign[]> {
  const wanted = [...ids];
  const locking = statements.query<{ id: string }>(
    skipLocked
      ? Prisma.sql`
          SELECT id FROM campaigns WHERE id = ANY(${wanted}::text[]) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED`
      : Prisma.sql`SELECT id FROM campaigns WHERE id = ANY(${wanted}::text[]) ORDER BY id FOR NO KEY UPDATE`,
  );
  const [locked, campaigns] = await Promise.all([locking, readCampaigns(statements, wanted)]);
  const isLocked = new Set(locked.map(({ id }) => id));
  return campaigns.filter(({ id }) => isLocked.has(id));
}

/** A campaign's spending on a day, in millicents. */
export async function spentOnDay(statements: Statements, campaignId: string, day: string): Promise<number> {
  const [row] = await statements.query<{ spent: bigint }>(Prisma.sql`
    SELECT spent_millicents AS spent FROM campaign_rollups WHERE campaign_id = ${campaignId} AND day = ${day}::date`);
  return safeInteger(row?.spent ?? 0n, "spent on the day");
}

/** Loads sessions with their users' current roles. */
export async function loadSessions(database: Database, ids: readonly string[]): Promise<SessionRow[]> {
  const rows = await database.accountSession.findMany({ where: { id: { in: [...ids] } } });
  const members = await database.accountMember.findMany({
    where: { OR: rows.map(({ accountId, userId }) => ({ accountId, userId })) },
  });
  const roles = new Map(members.map(({ accountId, userId, role }) => [`${accountId} ${userId}`, role]));
  return rows.map((row) => ({ ...row, role: roles.get(`${row.accountId} ${row.userId}`) ?? null }));
}

/** Kinds of published rows, with table and key column. */
export const PUBLISHED_KINDS = ["advertiser", "campaign", "placement", "apiKey", "session"] as const;
export type PublishedKind = (typeof PUBLISHED_KINDS)[number];

/** Identifiers of rows that a crash or an unavailable Redis left unpublished, at most `limit`. */
export async function unpublished(database: Database, kind: PublishedKind, limit: number): Promise<string[]> {
  // Compares columns, so that the partial indexes apply.
  const rows = await {
    advertiser: () => database.$queryRaw<{ id: string }[]>`
      SELECT id FROM advertisers WHERE published_version < version ORDER BY id LIMIT ${limit}`,
    campaign: () => database.$queryRaw<{ id: string }[]>`
      SELECT id FROM campaigns WHERE published_version < version ORDER BY id LIMIT ${limit}`,
    placement: () => database.$queryRaw<{ id: string }[]>`
      SELECT game_id AS id FROM placements WHERE published_version < version ORDER BY game_id LIMIT ${limit}`,
    apiKey: () => database.$queryRaw<{ id: string }[]>`
      SELECT id FROM api_keys WHERE published_version < version ORDER BY id LIMIT ${limit}`,
    session: () => database.$queryRaw<{ id: string }[]>`
      SELECT id FROM account_sessions WHERE published_version < version ORDER BY id LIMIT ${limit}`,
  }[kind]();
  return rows.map((row) => row.id);
}

/** The next identifiers after `after`, in order, at most `limit`. */
export async function page(
  database: Database,
  kind: PublishedKind,
  after: string,
  limit: number,
): Promise<string[]> {
  const next = {
    where: { id: { gt: after } },
    select: { id: true },
    orderBy: { id: "asc" },
    take: limit,
  } as const;
  const rows = await {
    advertiser: () => database.advertiser.findMany(next),
    campaign: () => database.campaign.findMany(next),
    apiKey: () => database.apiKey.findMany(next),
    session: () => database.accountSession.findMany(next),
    placement: async () => {
      const games = await database.placement.findMany({
        where: { gameId: { gt: after } },
        select: { gameId: true },
        orderBy: { gameId: "asc" },
        take: limit,
      });
      return games.map(({ gameId }) => ({ id: gameId }));
    },
  }[kind]();
  return rows.map((row) => row.id);
}

/**
 * Records the published version of each row; never decreases it. A crash of Postgres may lose the record: the row is
 * then published once more.
 */
export async function markPublished(
  pipeline: Pipeline,
  kind: PublishedKind,
  rows: readonly { id: string; version: number }[],
): Promise<void> {
  if (rows.length === 0) return;
  const statement = marking(kind, rows);
  // In a transaction, because rows are locked in no particular order, and a deadlock has to be retried.
  await pipeline.inTransaction((statements) => statements.execute(statement), { asynchronousCommit: true });
}

/** `markPublished` of campaigns that the transaction has locked. */
export function markLockedPublished(
  statements: Statements,
  campaigns: readonly { id: string; version: number }[],
): Promise<number> {
  return statements.execute(marking("campaign", campaigns));
}

function marking(kind: PublishedKind, rows: readonly { id: string; version: number }[]): Prisma.Sql {
  const { table, key } = TABLES[kind];
  const ids = rows.map((row) => row.id);
  const versions = rows.map((row) => row.version);
  return Prisma.sql`
    UPDATE ${table} AS published SET published_version = done.version
    FROM unnest(${ids}::text[], ${versions}::int[]) AS done (id, version)
    WHERE published.${key} = done.id AND published.published_version < done.version`;
}

const TABLES: Record<PublishedKind, { table: Prisma.Sql; key: Prisma.Sql }> = {
  advertiser: { table: Prisma.sql`advertisers`, key: Prisma.sql`id` },
  campaign: { table: Prisma.sql`campaigns`, key: Prisma.sql`id` },
  placement: { table: Prisma.sql`placements`, key: Prisma.sql`game_id` },
  apiKey: { table: Prisma.sql`api_keys`, key: Prisma.sql`id` },
  session: { table: Prisma.sql`account_sessions`, key: Prisma.sql`id` },
};
