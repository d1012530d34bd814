import { randomUUID } from "node:crypto";
import { type Database, inTransaction } from "@diegetic/database";
import { committedInEpoch, noteSettlements } from "../settle/settlements.ts";
import { findOnOtherDays } from "./around-midnight.ts";
import type { BilledImpression } from "./billed-impression.ts";
import { moveGameAdvertisers, moveGames, writeLedger } from "./earning-statements.ts";
import { type Groups, groupsOf } from "./groups.ts";
import { type Posting, sumUp } from "./posting.ts";
import { rememberUsers } from "./reached-users.ts";
import {
  findConflicting,
  insertImpressions,
  lookUpByKey,
  moveAdvertisers,
  moveAffinities,
  moveBreakdowns,
  moveCampaignRollups,
  moveCampaigns,
  moveCampaignVersions,
  moveCreatives,
} from "./statements.ts";

export interface WrittenBatch {
  /** Impressions that were not there before. */
  written: number;
  /** Those among them that the advertiser's slot, restored meanwhile, does not know yet: noted to be settled. */
  late: number;
  /** Impressions that cannot be written, because another match stands under their id. */
  conflicting: BilledImpression[];
}

export const NOTHING_WRITTEN: WrittenBatch = { written: 0, late: 0, conflicting: [] };

/** Impressions (each id once) with what they move when all of them are new. */
export interface PreparedBatch {
  impressions: readonly BilledImpression[];
  groups: Groups;
  posting: Posting;
}

/** Sums up impressions while there is time: throws RangeError when there are more than a batch may have. */
export function prepareBatch(impressions: readonly BilledImpression[]): PreparedBatch {
  const groups = groupsOf(impressions);
  return { impressions, groups, posting: sumUp(impressions, groups) };
}

/**
 * Writes impressions in one transaction; only those that were not there before move anything else.
 * All or nothing: rejects with RecordRefused or DataRefused when one of them cannot be
 * written, with DatabaseAway when it is worth repeating.
 */
export async function writeBatch(database: Database, prepared: PreparedBatch): Promise<WrittenBatch> {
  const { impressions } = prepared;
  if (impressions.length === 0) return NOTHING_WRITTEN;
  return inTransaction(database, async (transaction) => {
    const elsewhere = await findOnOtherDays(transaction, impressions);
    const own = impressions.filter(({ record }) => !elsewhere.has(record.impression_id));
    const inserted = await insertImpressions(transaction, own);
    const known = own.filter(({ record }) => !inserted.has(record.impression_id));
    const conflicting = [
      ...(await findConflicting(transaction, known)),
      ...impressions.filter(({ record }) => {
        const matchId = elsewhere.get(record.impression_id);
        return matchId !== undefined && matchId !== record.match.match_id;
      }),
    ];
    if (inserted.size === 0) return { ...NOTHING_WRITTEN, conflicting };
    const fresh = own.filter(({ record }) => inserted.has(record.impression_id));
    const { groups, posting } = fresh.length === impressions.length ? prepared : prepareBatch(fresh);
    await lookUpByKey(transaction);
    const advertisers = await moveAdvertisers(transaction, posting.advertisers);
    const late = fresh.filter(
      ({ record }) =>
        BigInt(committedInEpoch(record)) !== advertisers.get(record.match.advertiser_id)?.slot_epoch,
    );
    await noteSettlements(transaction, "late", late);
    const users = await rememberUsers(transaction, fresh, groups);
    await moveCampaigns(transaction, posting.campaigns, users.campaigns);
    await moveCreatives(transaction, posting.creatives);
    await moveAffinities(transaction, posting.affinities);
    await moveCampaignVersions(transaction, posting.campaignVersions);
    await moveCampaignRollups(transaction, posting.campaignRollups, users.campaignRollups);
    await moveBreakdowns(transaction, posting.breakdowns, users);
    await moveGameAdvertisers(transaction, posting.gameAdvertisers);
    await writeLedger(transaction, `batch_${randomUUID()}`, posting, advertisers);
    await moveGames(transaction, posting);
    return { written: inserted.size, late: late.length, conflicting };
  });
}
