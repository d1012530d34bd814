import { randomUUID } from "node:crypto";
import { type Database, inTransaction } from "@diegetic/database";
import type { BilledImpression } from "./billed-impression.ts";
import { sumUp } from "./posting.ts";
import {
  addUniqueUsers,
  insertImpressions,
  moveAdvertisers,
  moveAffinities,
  moveCampaignRollups,
  moveCampaigns,
  moveCampaignVersions,
  moveCreatives,
  moveGameRollups,
  writeLedger,
} from "./statements.ts";

/**
 * Writes impressions (each id once) in one transaction; only those that were not there before move anything else.
 * Returns how many that were. All or nothing: rejects with RecordRefused or DataRefused when one of them cannot be
 * written, with DatabaseAway when it is worth repeating.
 */
export async function writeBatch(
  database: Database,
  impressions: readonly BilledImpression[],
): Promise<number> {
  if (impressions.length === 0) return 0;
  return inTransaction(database, async (transaction) => {
    const inserted = await insertImpressions(transaction, impressions);
    if (inserted.size === 0) return 0;
    const posting = sumUp(impressions.filter(({ record }) => inserted.has(record.impression_id)));
    await moveAdvertisers(transaction, posting.advertisers);
    await moveCampaigns(transaction, posting.campaigns);
    await moveCreatives(transaction, posting.creatives);
    await moveAffinities(transaction, posting.affinities);
    await moveCampaignVersions(transaction, posting.campaignVersions);
    await moveCampaignRollups(transaction, posting.campaignRollups);
    await moveGameRollups(transaction, posting.gameRollups);
    await addUniqueUsers(transaction, posting.uniqueUsers);
    await writeLedger(transaction, `batch_${randomUUID()}`, posting.ledger);
    return inserted.size;
  });
}
