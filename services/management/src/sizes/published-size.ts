import type { Transaction } from "@diegetic/database";
import { unprocessable } from "@diegetic/service-kit";
import { campaignEntity, placementEntity } from "../snapshot-publishing/entities.ts";
import { loadCampaigns } from "../snapshot-publishing/load.ts";
import { MAX_ACCOUNT_BYTES, MAX_CAMPAIGN_BYTES } from "./limits.ts";

/**
 * Whether a change can make the published entity larger. One that cannot is never refused for a size: rows that were over
 * a limit before the limit existed keep working.
 */
export interface SizeChange {
  mayGrow: boolean;
}

/**
 * Measures a campaign after a change and stores its size, in the transaction that makes the change and holds the lock of
 * the campaign. Throws 422 when the campaign or its account has become too large. Locks the account until the end of the
 * transaction: take locks of advertisers, campaigns and placements before.
 */
export async function recordCampaignSize(
  transaction: Transaction,
  campaignId: string,
  { mayGrow }: SizeChange,
): Promise<void> {
  const [campaign] = await loadCampaigns(transaction, [campaignId]);
  if (campaign === undefined) throw new Error(`campaign ${campaignId} is not there`);
  const bytes = jsonBytes(campaignEntity(campaign));
  const grown = bytes - campaign.publishedBytes;
  if (grown === 0) return;
  if (mayGrow && grown > 0 && bytes > MAX_CAMPAIGN_BYTES) {
    throw unprocessable(
      `A campaign as published has at most ${MAX_CAMPAIGN_BYTES} bytes (256 KiB): shorten or delete creatives, targets, blocklist rules or affinities first.`,
    );
  }
  await transaction.$executeRaw`UPDATE campaigns SET published_bytes = ${bytes} WHERE id = ${campaignId}`;
  const { accountId } = await transaction.advertiser.findUniqueOrThrow({
    where: { id: campaign.advertiserId },
    select: { accountId: true },
  });
  await growAccount(transaction, accountId, grown, { mayGrow });
}

/** The same for a placement whose row is locked. */
export async function recordPlacementSize(
  transaction: Transaction,
  gameId: string,
  { mayGrow }: SizeChange,
): Promise<void> {
  const placement = await transaction.placement.findUniqueOrThrow({ where: { gameId } });
  const bytes = jsonBytes(placementEntity(placement));
  const grown = bytes - placement.publishedBytes;
  if (grown === 0) return;
  await transaction.$executeRaw`UPDATE placements SET published_bytes = ${bytes} WHERE game_id = ${gameId}`;
  await growAccount(transaction, placement.accountId, grown, { mayGrow });
}

async function growAccount(
  transaction: Transaction,
  accountId: string,
  grown: number,
  { mayGrow }: SizeChange,
): Promise<void> {
  // The sizes of rows that the migration measured may be some bytes off: the sum never becomes negative by that.
  const [account] = await transaction.$queryRaw<{ bytes: bigint }[]>`
    UPDATE accounts SET published_bytes = greatest(published_bytes + ${grown}, 0) WHERE id = ${accountId}
    RETURNING published_bytes AS bytes`;
  if (mayGrow && grown > 0 && Number(account?.bytes) > MAX_ACCOUNT_BYTES) {
    throw unprocessable(
      `The campaigns and placements of an account as published have at most ${MAX_ACCOUNT_BYTES} bytes (64 MiB) together: shorten or delete what is no longer needed first.`,
    );
  }
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
