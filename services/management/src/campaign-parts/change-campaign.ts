import { type Database, inTransaction, type Transaction } from "@diegetic/database";
import { bumpVersion, lockCampaign } from "../campaigns/store.ts";
import { recordCampaignSize, type SizeChange } from "../sizes/published-size.ts";
import type { Publishing } from "../snapshot-publishing/publishing.ts";

/** A campaign that nobody else changes meanwhile. */
export interface LockedCampaign {
  id: string;
  /** The version that will show the change that is being made. */
  nextVersion: number;
}

/**
 * Changes something that belongs to a campaign while the campaign is locked: what the work reads of it stays true until
 * the commit. The campaign's version is raised, so that the snapshot shows the change. Throws 422 when the campaign or its
 * account becomes too large.
 */
export async function inLockedCampaign<Result>(
  transaction: Transaction,
  campaignId: string,
  change: SizeChange,
  work: (campaign: LockedCampaign) => Promise<Result>,
): Promise<Result> {
  const { version } = await lockCampaign(transaction, campaignId);
  const result = await work({ id: campaignId, nextVersion: version + 1 });
  await recordCampaignSize(transaction, campaignId, change);
  await bumpVersion(transaction, campaignId);
  return result;
}

/** `inLockedCampaign` in a transaction of its own; returns when every match instance applies the change. */
export async function changeCampaign<Result>(
  { database, publishing }: { database: Database; publishing: Publishing },
  campaignId: string,
  change: SizeChange,
  work: (transaction: Transaction, campaign: LockedCampaign) => Promise<Result>,
): Promise<Result> {
  const result = await inTransaction(database, (transaction) =>
    inLockedCampaign(transaction, campaignId, change, (campaign) => work(transaction, campaign)),
  );
  await publishing.publishAndWait("campaign", campaignId);
  return result;
}
