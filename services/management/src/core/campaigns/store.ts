import { noCampaign, otherAdvertisersCampaign, registerFirst } from "@diegetic/contracts";
import { type Database, type Pipeline, Prisma, type Reader } from "@diegetic/database";
import type { Campaign } from "../campaign-rows/campaign.ts";
import { type CampaignRow, campaignColumns, campaignOf } from "../campaign-rows/statements.ts";
import { type CallerReads, type CallerRow, callerIs } from "../read-your-writes/caller-reads.ts";
import { isIdentifier } from "../shared/identifiers.ts";
import { type Paging, rowsOfPage } from "../shared/paging.ts";

/** A requested campaign of a caller; if there is none, all columns but the caller's are null. */
type RequestedRow = CallerRow & { [Column in keyof CampaignRow]: CampaignRow[Column] | null };

/** The caller, and the campaign with this id of any advertiser. */
function requestedCampaign(accountId: string, campaignId: string): Prisma.Sql {
  const possibleId = isIdentifier("camp", campaignId) ? campaignId : null;
  return Prisma.sql`
    WITH ${callerIs(accountId)}
    SELECT caller.id AS caller_id, CASE WHEN c.advertiser_id = caller.id THEN caller.written END AS written,
      ${campaignColumns}
    FROM caller LEFT JOIN campaigns AS c ON c.id = ${possibleId}`;
}

function requireOwn({ caller_id, written: _written, ...row }: RequestedRow): Campaign {
  requireOwnCampaign(row.advertiserId, caller_id);
  return campaignOf(row as CampaignRow);
}

/**
 * The caller's campaign with this id. Throws 403 before registration and for another advertiser's campaign, 404 when it
 * does not exist.
 */
export async function ownCampaign(reader: Reader, accountId: string, campaignId: string): Promise<Campaign> {
  const [row] = await reader.query<RequestedRow>(requestedCampaign(accountId, campaignId));
  if (row === undefined) throw registerFirst.error();
  return requireOwn(row);
}

/** `ownCampaign`, including everything billed before the request. */
export async function ownBilledCampaign(
  reads: CallerReads,
  accountId: string,
  campaignId: string,
): Promise<Campaign> {
  const [row] = await reads.rows<RequestedRow>(accountId, requestedCampaign(accountId, campaignId));
  return requireOwn(row);
}

/** @param ownerId the campaign's owner; null: there is no such campaign. Throws 404 and 403. */
export function requireOwnCampaign(ownerId: string | null, advertiserId: string): void {
  if (ownerId === null) throw noCampaign.error();
  if (ownerId !== advertiserId) throw otherAdvertisersCampaign.error();
}

/** An advertiser's campaigns, newest first. */
export async function listCampaigns(
  database: Database,
  advertiserId: string,
  paging: Paging,
): Promise<Campaign[]> {
  const rows = await database.campaign.findMany(rowsOfPage({ advertiserId }, paging, "desc"));
  return rows.map(campaignOf);
}

/** Records that every match instance applies a pause. A newer version of the campaign may have another pause to confirm. */
export async function confirmPause(pipeline: Pipeline, { id, version }: Campaign): Promise<void> {
  await pipeline.query(Prisma.sql`
    UPDATE campaigns SET pause_pending = false WHERE id = ${id} AND version = ${version} AND pause_pending`);
}
