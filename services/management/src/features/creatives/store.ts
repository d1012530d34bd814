import {
  type CreativeType,
  DELETED_CREATIVE_KEPT_DAYS,
  MAX_STORED_CREATIVES,
  newId,
  noCreative,
  otherAdvertisersCreative,
  registerFirst,
  tooManyDeletedCreatives,
} from "@diegetic/contracts";
import {
  DAY_MS,
  type Database,
  type Pipeline,
  Prisma,
  type Statements,
  safeInteger,
} from "@diegetic/database";
import type { Creative, CreativeSettings } from "../../core/campaign-rows/creative.ts";
import { type CallerReads, type CallerRow, callerIs } from "../../core/read-your-writes/caller-reads.ts";
import { isIdentifier } from "../../core/shared/identifiers.ts";
import { type Paging, rowsOfPage } from "../../core/shared/paging.ts";

const CREATIVES_PER_ROUND = 1_000;

interface CreativeRow extends Omit<Creative, "impressions"> {
  impressions: bigint;
}

function creativeOf(row: CreativeRow): Creative {
  return { ...row, impressions: safeInteger(row.impressions, "impressions") };
}

/** A requested creative of a caller; if there is none, all columns but the caller's are null. */
type RequestedRow = CallerRow & { ownerId: string | null } & {
  [Column in keyof CreativeRow]: CreativeRow[Column] | null;
};

/** The caller, and the creative with this id of any advertiser. */
function requestedCreative(accountId: string, creativeId: string): Prisma.Sql {
  const possibleId = isIdentifier("crt", creativeId) ? creativeId : null;
  return Prisma.sql`
    WITH ${callerIs(accountId)}
    SELECT caller.id AS caller_id, CASE WHEN c.advertiser_id = caller.id THEN caller.written END AS written,
      c.advertiser_id AS "ownerId", p.id, p.campaign_id AS "campaignId", p.creative_type::text AS "creativeType",
      p.brand_name AS "brandName", p.product_name AS "productName", p.tagline, p.narrative_hook AS "narrativeHook",
      p.alt_hooks AS "altHooks", p.tone::text AS tone, p.max_uses_per_game AS "maxUsesPerGame", p.impressions,
      p.created_at AS "createdAt"
    FROM caller
    LEFT JOIN (creatives AS p JOIN campaigns AS c ON c.id = p.campaign_id)
      ON p.id = ${possibleId} AND p.deleted_at IS NULL`;
}

function requireOwn({ caller_id, written: _written, ownerId, ...row }: RequestedRow): Creative {
  if (ownerId === null) throw noCreative.error();
  if (ownerId !== caller_id) throw otherAdvertisersCreative.error();
  return creativeOf(row as CreativeRow);
}

/**
 * The caller's creative with this id. Throws 403 before registration and for another advertiser's creative, 404 when it
 * does not exist or was deleted.
 */
export async function ownCreative(
  pipeline: Pipeline,
  accountId: string,
  creativeId: string,
): Promise<Creative> {
  const [row] = await pipeline.query<RequestedRow>(requestedCreative(accountId, creativeId));
  if (row === undefined) throw registerFirst.error();
  return requireOwn(row);
}

/** `ownCreative`, including everything billed before the request. */
export async function ownBilledCreative(
  reads: CallerReads,
  accountId: string,
  creativeId: string,
): Promise<Creative> {
  const [row] = await reads.rows<RequestedRow>(accountId, requestedCreative(accountId, creativeId));
  return requireOwn(row);
}

/** A campaign's creatives in creation order. */
export async function listCreatives(
  database: Database,
  campaignId: string,
  paging?: Paging,
): Promise<Creative[]> {
  const rows = await database.creative.findMany(rowsOfPage({ campaignId, deletedAt: null }, paging));
  return rows.map(creativeOf);
}

/** A new creative, not stored yet. */
export function newCreative(
  campaignId: string,
  creativeType: CreativeType,
  settings: CreativeSettings,
  nowMs: number,
): Creative {
  const createdAt = new Date(nowMs);
  return { id: newId("crt", nowMs), campaignId, creativeType, ...settings, impressions: 0, createdAt };
}

/** Throws 422 when the campaign has too many creatives, deleted ones included. */
export async function requireFewStored(statements: Statements, campaignId: string): Promise<void> {
  const [stored] = await statements.query<{ number: number }>(Prisma.sql`
    SELECT 1 AS number FROM creatives WHERE campaign_id = ${campaignId} OFFSET ${MAX_STORED_CREATIVES - 1} LIMIT 1`);
  if (stored !== undefined) throw tooManyDeletedCreatives.error();
}

/** Removes creatives that were deleted long ago and never seen; a bounded number per call. */
export async function forgetUnseenCreatives(database: Database, nowMs: number): Promise<void> {
  const due = Prisma.sql`id IN (
    SELECT id FROM creatives WHERE forget_at <= ${new Date(nowMs)} ORDER BY forget_at LIMIT ${CREATIVES_PER_ROUND})`;
  await database.$executeRaw`DELETE FROM creatives WHERE impressions = 0 AND ${due}`;
  // Seen after they were deleted.
  await database.$executeRaw`UPDATE creatives SET forget_at = NULL WHERE impressions > 0 AND ${due}`;
}

/** Stores the settings of a creative of a locked campaign. */
export function updateCreative(creative: Creative): Prisma.Sql {
  return Prisma.sql`
    UPDATE creatives SET brand_name = ${creative.brandName}, product_name = ${creative.productName},
      tagline = ${creative.tagline}, narrative_hook = ${creative.narrativeHook}, alt_hooks = ${creative.altHooks},
      tone = ${creative.tone}::tone, max_uses_per_game = ${creative.maxUsesPerGame}
    WHERE id = ${creative.id}`;
}

/**
 * Marks a creative of a locked campaign as deleted. The row stays, because impressions reference it, or may until
 * `forgetUnseenCreatives` removes it: without its texts, except for the line that players saw.
 */
export function markDeleted(creativeId: string, nowMs: number): Prisma.Sql {
  const forgetAt = new Date(nowMs + DELETED_CREATIVE_KEPT_DAYS * DAY_MS);
  return Prisma.sql`
    UPDATE creatives SET deleted_at = ${new Date(nowMs)},
      forget_at = CASE WHEN impressions = 0 THEN ${forgetAt} END::timestamptz,
      alt_hooks = '{}', tagline = NULL, product_name = NULL,
      narrative_hook = CASE WHEN impressions > 0 THEN narrative_hook WHEN narrative_hook IS NOT NULL THEN '' END
    WHERE id = ${creativeId} AND deleted_at IS NULL`;
}
