import {
  accountTooLarge,
  campaignTooLarge,
  MAX_ACCOUNT_BYTES,
  MAX_CAMPAIGN_BYTES,
} from "@diegetic/contracts";
import { Prisma, type Statements, type Transaction, withStatements } from "@diegetic/database";
import type { WholeCampaign } from "../campaign-rows/statements.ts";
import { campaignEntity, placementEntity } from "../publishing/entities.ts";

/**
 * Whether a change can enlarge the published entity. A change that cannot is never refused, so that rows from before
 * the limit keep working.
 */
export interface SizeChange {
  mayGrow: boolean;
}

/** Bytes of a campaign as published while active, or as compared where that is longer. */
export function campaignBytes(campaign: WholeCampaign): number {
  return jsonBytes(campaignEntity(campaign));
}

/**
 * Measures a changed campaign, whose row is locked, and adds the difference to its account. Returns its bytes for the
 * caller to write. Throws 422 when the campaign or its account is too large. Locks the account until the end of the
 * transaction: lock advertisers, campaigns and placements first.
 */
export async function recordCampaignSize(
  statements: Statements,
  campaign: WholeCampaign,
  { mayGrow }: SizeChange,
): Promise<number> {
  const bytes = campaignBytes(campaign);
  const grown = bytes - campaign.publishedBytes;
  if (grown === 0) return bytes;
  if (mayGrow && grown > 0 && bytes > MAX_CAMPAIGN_BYTES) throw campaignTooLarge.error();
  const account = Prisma.sql`(SELECT account_id FROM advertisers WHERE id = ${campaign.advertiserId})`;
  const grownTo = growAccount(statements, account, grown);
  if (mayGrow && grown > 0) requireRoom(await grownTo);
  return bytes;
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
  const account = Prisma.sql`${placement.accountId}`;
  const grownTo = await withStatements(transaction, (statements) => growAccount(statements, account, grown));
  if (mayGrow && grown > 0) requireRoom(grownTo);
}

/** @param account SQL expression for its id */
function growAccount(
  statements: Statements,
  account: Prisma.Sql,
  grown: number,
): Promise<{ bytes: bigint }[]> {
  // Sizes measured by the migration may be a few bytes off; the sum never becomes negative.
  return statements.query<{ bytes: bigint }>(Prisma.sql`
    UPDATE accounts SET published_bytes = greatest(published_bytes + ${grown}, 0) WHERE id = ${account}
    RETURNING published_bytes AS bytes`);
}

function requireRoom([account]: { bytes: bigint }[]): void {
  if (Number(account?.bytes) > MAX_ACCOUNT_BYTES) throw accountTooLarge.error();
}

/** Match instances normalise all texts, which makes some much longer: U+FDFA becomes four words. */
function jsonBytes(value: unknown): number {
  const json = JSON.stringify(value);
  return Math.max(Buffer.byteLength(json), Buffer.byteLength(json.normalize("NFKC")));
}
