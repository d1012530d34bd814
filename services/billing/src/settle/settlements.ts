import type { ImpressionRecord } from "@diegetic/contracts";
import { type Database, safeInteger, type Transaction } from "@diegetic/database";
import type { Settlement } from "@diegetic/hot-state";
import type { BilledImpression } from "../write/billed-impression.ts";

/** The slot's epoch in which a record was committed; 0: before slots were numbered. */
export function committedInEpoch(record: ImpressionRecord): number {
  const epoch = record.slot_epoch ?? 0;
  return Number.isSafeInteger(epoch) && epoch >= 0 ? epoch : 0;
}

/** Notes, in the transaction that makes it so, that slots do not agree with Postgres about these impressions. */
export async function noteSettlements(
  transaction: Transaction,
  kind: Settlement["kind"],
  impressions: readonly BilledImpression[],
): Promise<void> {
  if (impressions.length === 0) return;
  await transaction.slotSettlement.createMany({
    data: impressions.map(({ record, day }) => ({
      impressionId: record.impression_id,
      kind,
      advertiserId: record.match.advertiser_id,
      campaignId: record.match.campaign_id,
      gameId: record.match.game_id,
      matchId: record.match.match_id,
      priceMillicents: BigInt(record.match.price_millicents),
      day: new Date(`${day}T00:00:00.000Z`),
      committedInEpoch: BigInt(committedInEpoch(record)),
    })),
    skipDuplicates: true,
  });
}

interface SettlementRow {
  impression_id: string;
  kind: "late" | "reversed";
  advertiser_id: string;
  campaign_id: string;
  game_id: string;
  match_id: string;
  price_millicents: bigint;
  day: string;
  committed_in_epoch: bigint;
  slot_epoch: bigint;
}

/** The next settlements after an impression id, in the order of their ids, for the present epochs of their slots. */
export async function listSettlements(
  database: Database,
  after: string,
  limit: number,
): Promise<Settlement[]> {
  const rows = await database.$queryRaw<SettlementRow[]>`
    SELECT s.impression_id, s.kind::text AS kind, s.advertiser_id, s.campaign_id, s.game_id, s.match_id,
      s.price_millicents, s.day::text AS day, s.committed_in_epoch, a.slot_epoch
    FROM slot_settlements s JOIN advertisers a ON a.id = s.advertiser_id
    WHERE s.impression_id > ${after} ORDER BY s.impression_id LIMIT ${limit}`;
  return rows.map((row) => ({
    epoch: safeInteger(row.slot_epoch, "slot_epoch"),
    kind: row.kind,
    impressionId: row.impression_id,
    matchId: row.match_id,
    advertiserId: row.advertiser_id,
    campaignId: row.campaign_id,
    gameId: row.game_id,
    priceMillicents: safeInteger(row.price_millicents, "price"),
    day: row.day,
    committedInEpoch: safeInteger(row.committed_in_epoch, "committed_in_epoch"),
  }));
}

/** Forgets settlements that their slots have. */
export async function forgetSettlements(database: Database, done: readonly Settlement[]): Promise<void> {
  if (done.length === 0) return;
  await database.slotSettlement.deleteMany({
    where: { OR: done.map(({ impressionId, kind }) => ({ impressionId, kind })) },
  });
}
