import type { ImpressionRecord } from "@diegetic/contracts";
import { arrayOfTexts, DAY_MS, type Database, Prisma, safeInteger } from "@diegetic/database";
import { type Settlement, sliceOf, walletIdOf } from "@diegetic/hot-state";
import { deleteInSteps } from "../loops/delete-in-steps.ts";
import type { BilledImpression } from "./billed-impression.ts";
import { Columns } from "./columns.ts";

/** The audit reads yesterday, today and tomorrow. */
const LATE_CHARGES_KEPT_MS = 3 * DAY_MS;

/** The wallet's recovery epoch when the record was committed; 0: the record names none. */
export function committedInEpoch(record: ImpressionRecord): number {
  const epoch = record.recovery_epoch ?? 0;
  return Number.isSafeInteger(epoch) && epoch >= 0 ? epoch : 0;
}

/**
 * Records, in the transaction that writes them, that the wallets disagree with Postgres about these impressions. Of two
 * charges of one impression, the later epoch counts: the wallet has lost the other.
 */
export function settlementsStatement(
  kind: Settlement["kind"],
  impressions: readonly BilledImpression[],
): Prisma.Sql {
  const of = new Columns(impressions);
  return Prisma.sql`
    INSERT INTO wallet_settlements (impression_id, kind, advertiser_id, campaign_id, game_id, match_id, price_millicents,
      day, committed_in_epoch, wallet_slice)
    SELECT impression_id, ${kind}::wallet_settlement_kind, advertiser_id, campaign_id, game_id, match_id,
      price_millicents, day, committed_in_epoch, wallet_slice
    FROM unnest(${of.texts(({ record }) => record.impression_id)},
      ${of.texts(({ record }) => record.match.advertiser_id)}, ${of.texts(({ record }) => record.match.campaign_id)},
      ${of.texts(({ record }) => record.match.game_id)}, ${of.texts(({ record }) => record.match.match_id)},
      ${of.integers(({ record }) => record.match.price_millicents)}, ${of.days(({ day }) => day)},
      ${of.integers(({ record }) => committedInEpoch(record))}, ${of.integers(({ record }) => sliceOf(record))})
      AS s(impression_id, advertiser_id, campaign_id, game_id, match_id, price_millicents, day, committed_in_epoch,
        wallet_slice)
    ON CONFLICT (impression_id, kind) DO UPDATE SET committed_in_epoch = excluded.committed_in_epoch
      WHERE wallet_settlements.kind = 'reversed' AND wallet_settlements.committed_in_epoch < excluded.committed_in_epoch`;
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
  recovery_epoch: bigint;
  wallet_slice: number;
}

/** The next settlements after an impression id, in id order, with the current epochs of their wallets. */
export async function listSettlements(
  database: Pick<Database, "$queryRaw">,
  after: string,
  limit: number,
): Promise<Settlement[]> {
  const rows = await database.$queryRaw<SettlementRow[]>`
    SELECT s.impression_id, s.kind::text AS kind, s.advertiser_id, s.campaign_id, s.game_id, s.match_id,
      s.price_millicents, s.day::text AS day, s.committed_in_epoch, s.wallet_slice, a.recovery_epoch
    FROM wallet_settlements s JOIN advertisers a ON a.id = s.advertiser_id
    WHERE s.impression_id > ${after} AND s.settled_at IS NULL ORDER BY s.impression_id LIMIT ${limit}`;
  const recordedAt = await recordingTimes(database, rows);
  return rows.map((row) => ({
    epoch: safeInteger(row.recovery_epoch, "recovery_epoch"),
    kind: row.kind,
    impressionId: row.impression_id,
    matchId: row.match_id,
    walletId: walletIdOf(row.advertiser_id, row.wallet_slice),
    campaignId: row.campaign_id,
    gameId: row.game_id,
    priceMillicents: safeInteger(row.price_millicents, "price"),
    day: row.day,
    committedInEpoch: safeInteger(row.committed_in_epoch, "committed_in_epoch"),
    recordedAtMs: recordedAt.get(`${row.day} ${row.impression_id}`) ?? null,
  }));
}

/** Unix milliseconds by day and id of the impressions; null: not stored. */
async function recordingTimes(
  database: Pick<Database, "$queryRaw">,
  rows: readonly SettlementRow[],
): Promise<Map<string, number | null>> {
  if (rows.length === 0) return new Map();
  const of = new Columns(rows);
  const days = arrayOfTexts([...new Set(rows.map(({ day }) => day))]);
  // Partitions of other days are neither planned nor locked.
  const found = await database.$queryRaw<{ day: string; impression_id: string; recorded_at: Date | null }[]>`
    SELECT day::text AS day, impression_id, (SELECT i.recorded_at FROM impressions i
      WHERE i.day = requested.day AND i.impression_id = requested.impression_id AND i.day = ANY(${days}::date[]))
      AS recorded_at
    FROM unnest(${of.days(({ day }) => day)}, ${of.texts((row) => row.impression_id)}) AS requested(day, impression_id)`;
  return new Map(found.map((row) => [`${row.day} ${row.impression_id}`, row.recorded_at?.getTime() ?? null]));
}

/** Settlements that the wallets now have. */
export interface DoneSettlements {
  /** Settled by this call. */
  settled: readonly Settlement[];
  /** Settled before. */
  known: readonly Settlement[];
}

/** Marks settlements as done. Late charges settled now are kept, because the audit still adds them up. */
export async function closeSettlements(
  database: Database,
  { settled, known }: DoneSettlements,
): Promise<void> {
  const late = settled.filter(({ kind }) => kind === "late");
  if (late.length > 0) {
    await database.$executeRaw`
      UPDATE wallet_settlements SET settled_at = now()
      WHERE kind = 'late' AND impression_id = ANY(${late.map(({ impressionId }) => impressionId)})`;
  }
  const over = [...known, ...settled.filter(({ kind }) => kind !== "late")];
  if (over.length === 0) return;
  await database.walletSettlement.deleteMany({
    where: {
      // Of a later epoch, if another charge of the impression was refused meanwhile.
      OR: over.map(({ impressionId, kind, committedInEpoch: epoch }) => ({
        impressionId,
        kind,
        committedInEpoch: epoch,
      })),
      settledAt: null,
    },
  });
}

/** Deletes late charges of days that the audit no longer reads. */
export function forgetOldSettlements(database: Database, nowMs: number, signal: AbortSignal): Promise<void> {
  const before = new Date(nowMs - LATE_CHARGES_KEPT_MS);
  return deleteInSteps(
    signal,
    (limit) => database.$executeRaw`
      DELETE FROM wallet_settlements WHERE (impression_id, kind) IN (
        SELECT impression_id, kind FROM wallet_settlements WHERE settled_at < ${before}
        ORDER BY settled_at LIMIT ${limit}
      )`,
  );
}
