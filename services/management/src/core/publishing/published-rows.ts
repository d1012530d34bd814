import { type Database, type Pipeline, Prisma, type Statements, safeInteger } from "@diegetic/database";
import type { SnapshotEntry } from "@diegetic/hot-state";
import { readCampaigns, type WholeCampaign } from "../campaign-rows/statements.ts";
import {
  advertiserEntry,
  apiKeyEntry,
  campaignEntry,
  placementEntry,
  type SessionRow,
  sessionEntry,
} from "./entities.ts";

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
  const locking = statements.query<{ id: string }>(Prisma.sql`
    SELECT id FROM campaigns WHERE id = ANY(${wanted}::text[]) ORDER BY id
    FOR NO KEY UPDATE ${skipLocked ? Prisma.sql`SKIP LOCKED` : Prisma.empty}`);
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
async function loadSessions(database: Database, ids: readonly string[]): Promise<SessionRow[]> {
  const rows = await database.accountSession.findMany(byIds(ids));
  const members = await database.accountMember.findMany({
    where: { OR: rows.map(({ accountId, userId }) => ({ accountId, userId })) },
  });
  const roles = new Map(members.map(({ accountId, userId, role }) => [`${accountId} ${userId}`, role]));
  return rows.map((row) => ({ ...row, role: roles.get(`${row.accountId} ${row.userId}`) ?? null }));
}

/** A published row, and its entry in the snapshot. */
interface LoadedRow {
  id: string;
  version: number;
  publishedVersion: number;
  entry: SnapshotEntry;
}

interface KindOfRows {
  table: Prisma.Sql;
  key: Prisma.Sql;
  /** The size of a row; 0: it is small. */
  bytes: Prisma.Sql;
  /** The current rows with these keys. */
  load: (stores: PublishedStores, ids: readonly string[]) => Promise<LoadedRow[]>;
}

export interface PublishedStores {
  database: Database;
  pipeline: Pipeline;
}

/** Kinds of published rows, in the order in which they are published. */
export const PUBLISHED = {
  advertiser: {
    table: Prisma.sql`advertisers`,
    key: Prisma.sql`id`,
    bytes: Prisma.sql`0`,
    load: async ({ database }, ids) =>
      withEntries(await database.advertiser.findMany(byIds(ids)), advertiserEntry),
  },
  campaign: {
    table: Prisma.sql`campaigns`,
    key: Prisma.sql`id`,
    bytes: Prisma.sql`published_bytes`,
    load: async ({ pipeline }, ids) => withEntries(await readCampaigns(pipeline, ids), campaignEntry),
  },
  placement: {
    table: Prisma.sql`placements`,
    key: Prisma.sql`game_id`,
    bytes: Prisma.sql`published_bytes`,
    load: async ({ database }, ids) => {
      const rows = await database.placement.findMany({ where: { gameId: { in: [...ids] } } });
      return rows.map((row) => ({ ...row, id: row.gameId, entry: placementEntry(row) }));
    },
  },
  apiKey: {
    table: Prisma.sql`api_keys`,
    key: Prisma.sql`id`,
    bytes: Prisma.sql`0`,
    load: async ({ database }, ids) => withEntries(await database.apiKey.findMany(byIds(ids)), apiKeyEntry),
  },
  session: {
    table: Prisma.sql`account_sessions`,
    key: Prisma.sql`id`,
    bytes: Prisma.sql`0`,
    load: async ({ database }, ids) => withEntries(await loadSessions(database, ids), sessionEntry),
  },
} satisfies Record<string, KindOfRows>;

export type PublishedKind = keyof typeof PUBLISHED;
export const PUBLISHED_KINDS = Object.keys(PUBLISHED) as PublishedKind[];

function byIds(ids: readonly string[]) {
  return { where: { id: { in: [...ids] } } };
}

function withEntries<Row>(rows: readonly Row[], toEntry: (row: Row) => SnapshotEntry) {
  return rows.map((row) => ({ ...row, entry: toEntry(row) }));
}

/** Those of these rows that another transaction has locked now. */
export async function lockedAmong(
  database: Database,
  kind: PublishedKind,
  ids: readonly string[],
): Promise<Set<string>> {
  const { table, key } = PUBLISHED[kind];
  const rows = await database.$queryRaw<{ id: string }[]>`
    SELECT ${key} AS id FROM ${table} WHERE ${key} = ANY(${ids}) AND ${key} <> ALL(ARRAY(
      SELECT ${key} FROM ${table} WHERE ${key} = ANY(${ids}) FOR NO KEY UPDATE SKIP LOCKED))`;
  return new Set(rows.map((row) => row.id));
}

/** The next identifiers after `after`, in order, at most `limit`, of rows that a crash or an unavailable Redis left unpublished. */
export async function pageOfUnpublished(
  database: Database,
  kind: PublishedKind,
  after: string,
  limit: number,
): Promise<string[]> {
  const { table, key } = PUBLISHED[kind];
  // Compares columns, so that the partial indexes apply.
  const page = await database.$queryRaw<{ id: string }[]>`
    SELECT ${key} AS id FROM ${table} WHERE published_version < version AND ${key} > ${after} ORDER BY ${key} LIMIT ${limit}`;
  return page.map((row) => row.id);
}

/** Of campaigns and placements as published while active; a single row has less. */
const MAX_PAGE_BYTES = 8 * 1_024 * 1_024;

/**
 * The next identifiers after `after`, in order, at most `limit`, of rows that are not too large together. A page by number
 * alone could have 128 MB, and so fail or stop the process for seconds. Empty: there are no more.
 */
export async function pageOfRebuild(
  database: Database,
  kind: PublishedKind,
  after: string,
  limit: number,
): Promise<string[]> {
  const { table, key, bytes } = PUBLISHED[kind];
  const page = await database.$queryRaw<{ id: string }[]>`
    SELECT id FROM (
      SELECT id, sum(bytes) OVER (ORDER BY id) - bytes AS bytes_before
      FROM (SELECT ${key} AS id, ${bytes} AS bytes FROM ${table} WHERE ${key} > ${after} ORDER BY ${key} LIMIT ${limit}) AS rows
    ) AS measured WHERE bytes_before < ${MAX_PAGE_BYTES} ORDER BY id`;
  return page.map((row) => row.id);
}

/**
 * Records the published version of each row; never decreases it. A crash of Postgres may lose the record: the row is
 * then published once more. Throws LockTimeout when another transaction keeps one of the rows locked.
 */
export async function markPublished(
  pipeline: Pipeline,
  kind: PublishedKind,
  rows: readonly { id: string; version: number }[],
  maxLockWaitMs: number,
): Promise<void> {
  if (rows.length === 0) return;
  const statement = marking(kind, rows);
  // In a transaction, because rows are locked in no particular order, and a deadlock has to be retried.
  await pipeline.inTransaction((statements) => statements.execute(statement), {
    asynchronousCommit: true,
    lockTimeoutMs: maxLockWaitMs,
  });
}

/** `markPublished` of campaigns that the transaction has locked. */
export function markLockedPublished(
  statements: Statements,
  campaigns: readonly { id: string; version: number }[],
): Promise<number> {
  return statements.execute(marking("campaign", campaigns));
}

function marking(kind: PublishedKind, rows: readonly { id: string; version: number }[]): Prisma.Sql {
  const { table, key } = PUBLISHED[kind];
  const ids = rows.map((row) => row.id);
  const versions = rows.map((row) => row.version);
  return Prisma.sql`
    UPDATE ${table} AS published SET published_version = done.version
    FROM unnest(${ids}::text[], ${versions}::int[]) AS done (id, version)
    WHERE published.${key} = done.id AND published.published_version < done.version`;
}
