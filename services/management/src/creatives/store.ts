import { type CreativeType, newId } from "@diegetic/contracts";
import { type Database, type Prisma, safeInteger, type Transaction } from "@diegetic/database";
import { forbidden, notFound } from "@diegetic/service-kit";
import { callingAdvertiser } from "../advertiser/caller.ts";
import { isIdentifier } from "../shared/identifiers.ts";
import { type Paging, rowsOfPage } from "../shared/paging.ts";
import type { Creative, CreativeSettings } from "./creative.ts";

function fromRow(row: Prisma.CreativeGetPayload<object>): Creative {
  return { ...row, impressions: safeInteger(row.impressions, "impressions") };
}

/**
 * The caller's creative of this id, and its advertiser. Throws 403 when the caller has not registered or it is
 * another's, 404 when there is none or it was deleted.
 */
export async function ownCreative(
  database: Database,
  accountId: string,
  creativeId: string,
): Promise<Creative & { advertiserId: string }> {
  const advertiser = await callingAdvertiser(database, accountId);
  const row = isIdentifier("crt", creativeId)
    ? await database.creative.findUnique({
        where: { id: creativeId, deletedAt: null },
        include: { campaign: { select: { advertiserId: true } } },
      })
    : null;
  if (row === null) throw creativeMissing();
  const { campaign, ...creative } = row;
  if (campaign.advertiserId !== advertiser.id)
    throw forbidden(
      "The creative belongs to another advertiser: GET /campaigns/{campaign_id}/creatives lists your own.",
    );
  return { ...fromRow(creative), advertiserId: advertiser.id };
}

export function creativeMissing() {
  return notFound("Creative not found. GET /campaigns/{campaign_id}/creatives lists yours.");
}

/** A campaign's creatives in the order of their creation. */
export async function listCreatives(
  database: Database,
  campaignId: string,
  paging?: Paging,
): Promise<Creative[]> {
  const rows = await database.creative.findMany(rowsOfPage({ campaignId, deletedAt: null }, paging));
  return rows.map(fromRow);
}

export function countCreatives(transaction: Transaction, campaignId: string): Promise<number> {
  return transaction.creative.count({ where: { campaignId, deletedAt: null } });
}

export async function insertCreative(
  transaction: Transaction,
  campaignId: string,
  creativeType: CreativeType,
  settings: CreativeSettings,
  nowMs: number,
): Promise<Creative> {
  const row = await transaction.creative.create({
    data: { id: newId("crt", nowMs), campaignId, creativeType, ...settings, createdAt: new Date(nowMs) },
  });
  return fromRow(row);
}

/** Changes a creative of a locked campaign. Throws 404 when it was deleted meanwhile. */
export async function updateCreative(
  transaction: Transaction,
  creativeId: string,
  settings: Partial<CreativeSettings>,
): Promise<{ before: Creative; updated: Creative }> {
  const before = await transaction.creative.findUniqueOrThrow({ where: { id: creativeId } });
  const changed = await transaction.creative.updateMany({
    where: { id: creativeId, deletedAt: null },
    data: settings,
  });
  if (changed.count === 0) throw creativeMissing();
  const updated = await transaction.creative.findUniqueOrThrow({ where: { id: creativeId } });
  return { before: fromRow(before), updated: fromRow(updated) };
}

/** Deletes a creative; its row stays, because impressions name it. Throws 404 when that was done already. */
export async function markDeleted(
  transaction: Transaction,
  creativeId: string,
  nowMs: number,
): Promise<void> {
  const deleted = await transaction.creative.updateMany({
    where: { id: creativeId, deletedAt: null },
    data: { deletedAt: new Date(nowMs) },
  });
  if (deleted.count === 0) throw creativeMissing();
}
