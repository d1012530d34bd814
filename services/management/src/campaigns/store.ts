import { type CampaignStatus, newId } from "@diegetic/contracts";
import { type Database, type Prisma, safeInteger, type Transaction } from "@diegetic/database";
import { forbidden, notFound } from "@diegetic/service-kit";
import { callingAdvertiser } from "../advertiser/caller.ts";
import { isIdentifier } from "../shared/identifiers.ts";
import { type Paging, rowsToRead } from "../shared/paging.ts";
import type { Campaign, CampaignSettings } from "./campaign.ts";

function fromRow(row: Prisma.CampaignGetPayload<object>): Campaign {
  return {
    ...row,
    spentMillicents: safeInteger(row.spentMillicents, "spent"),
    impressions: safeInteger(row.impressions, "impressions"),
  };
}

/**
 * The caller's campaign of this id. Throws 403 when the caller has not registered or the campaign is another's, 404
 * when there is none.
 */
export async function ownCampaign(
  database: Database,
  accountId: string,
  campaignId: string,
): Promise<Campaign> {
  const advertiser = await callingAdvertiser(database, accountId);
  const row = isIdentifier("camp", campaignId)
    ? await database.campaign.findUnique({ where: { id: campaignId } })
    : null;
  if (row === null) throw noCampaign();
  requireOwnCampaign(row.advertiserId, advertiser.id);
  return fromRow(row);
}

function noCampaign() {
  return notFound("Campaign not found. GET /campaigns lists yours.");
}

/** @param ownerId whose the campaign is; null: there is none. Throws 404 and 403. */
export function requireOwnCampaign(ownerId: string | null, advertiserId: string): void {
  if (ownerId === null) throw noCampaign();
  if (ownerId !== advertiserId)
    throw forbidden("The campaign belongs to another advertiser: GET /campaigns lists your own.");
}

/** A campaign that is known to be there. */
export async function findCampaign(client: Database | Transaction, campaignId: string): Promise<Campaign> {
  return fromRow(await client.campaign.findUniqueOrThrow({ where: { id: campaignId } }));
}

/** An advertiser's campaigns, newest first. */
export async function listCampaigns(
  database: Database,
  advertiserId: string,
  paging: Paging,
): Promise<Campaign[]> {
  const take = rowsToRead(paging);
  const rows = await database.campaign.findMany({
    where: { advertiserId, ...(paging.after === undefined ? {} : { id: { lt: paging.after } }) },
    // Identifiers sort by the moment of creation.
    orderBy: { id: "desc" },
    ...(take === undefined ? {} : { take }),
  });
  return rows.map(fromRow);
}

/** How many campaigns an advertiser has; locks the advertiser, so that no other becomes one more meanwhile. */
export async function countCampaigns(transaction: Transaction, advertiserId: string): Promise<number> {
  await transaction.$queryRaw`SELECT FROM advertisers WHERE id = ${advertiserId} FOR NO KEY UPDATE`;
  return transaction.campaign.count({ where: { advertiserId } });
}

export async function insertCampaign(
  transaction: Transaction,
  advertiserId: string,
  settings: CampaignSettings,
  nowMs: number,
): Promise<Campaign> {
  const row = await transaction.campaign.create({
    data: { id: newId("camp", nowMs), advertiserId, ...settings, createdAt: new Date(nowMs) },
  });
  return fromRow(row);
}

/** Locks a campaign until the end of the transaction: no other change, and no publishing of it, runs meanwhile. */
export async function lockCampaign(transaction: Transaction, campaignId: string): Promise<Campaign> {
  await transaction.$queryRaw`SELECT id FROM campaigns WHERE id = ${campaignId} FOR NO KEY UPDATE`;
  return findCampaign(transaction, campaignId);
}

export async function updateSettings(
  transaction: Transaction,
  campaignId: string,
  settings: Partial<CampaignSettings>,
): Promise<Campaign> {
  const row = await transaction.campaign.update({
    where: { id: campaignId },
    data: { ...settings, version: { increment: 1 } },
  });
  return fromRow(row);
}

/** Sets the status; the moment of the first activation stays. A pause is pending until `confirmPause`. */
export async function updateStatus(
  transaction: Transaction,
  campaignId: string,
  status: CampaignStatus,
  nowMs: number,
): Promise<Campaign> {
  if (status === "active") {
    await transaction.campaign.updateMany({
      where: { id: campaignId, firstActivatedAt: null },
      data: { firstActivatedAt: new Date(nowMs) },
    });
  }
  const row = await transaction.campaign.update({
    where: { id: campaignId },
    data: { status, pausePending: status === "paused", version: { increment: 1 } },
  });
  return fromRow(row);
}

/** Notes that every match instance applies a pause; a newer version of the campaign may have another one to confirm. */
export async function confirmPause(database: Database, { id, version }: Campaign): Promise<void> {
  // Not by the client for models: it would say that the settings have been changed now.
  await database.$executeRaw`
    UPDATE campaigns SET pause_pending = false WHERE id = ${id} AND version = ${version} AND pause_pending`;
}

/** Says that something of the campaign has changed which the snapshot shows: its creatives or rules. */
export async function bumpVersion(client: Database | Transaction, campaignId: string): Promise<void> {
  await client.campaign.update({ where: { id: campaignId }, data: { version: { increment: 1 } } });
}
