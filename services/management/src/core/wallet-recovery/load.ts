import { MAX_MATCH_AGE_MS } from "@diegetic/contracts";
import {
  type CampaignStatus,
  DAY_MS,
  type Database,
  dateOfDay,
  inTransaction,
  Prisma,
  safeInteger,
  type Transaction,
  utcDay,
} from "@diegetic/database";

/** Maximum settlements that one restore passes to a wallet. */
const MAX_UNSETTLED = 20_000;
/** For each lock. Billing's batches hold theirs for less. */
const MAX_LOCK_WAIT_MS = 500;
/** For all locks of a statement; two of these are as long as a claim of the wallets. */
const MAX_LOCKING_MS = 1_500;
/** Records of one impression are at most this many days apart. */
const MAX_DAYS_APART = MAX_MATCH_AGE_MS / DAY_MS;

export interface KnownCampaign {
  id: string;
  version: number;
  status: CampaignStatus;
  budgetCents: number;
  dailyCapCents: number | null;
  spentMillicents: number;
  impressions: number;
  /** Of this day and later days, if any. */
  spentMillicentsByDay: Map<string, number>;
}

/** A settlement that the wallet does not have yet; Postgres' totals include it. */
export interface UnsettledImpression {
  kind: "late" | "reversed";
  impressionId: string;
  /** Of the wallet. */
  slice: number;
  campaignId: string;
  priceMillicents: number;
  committedInEpoch: number;
}

/** What Postgres knew about an advertiser when its wallet got a new epoch. */
export interface KnownAdvertiser {
  id: string;
  epoch: number;
  /** A wallet of an earlier epoch is an older copy. */
  verifiedEpoch: number;
  version: number;
  /** Of the wallet. */
  slices: number;
  depositedMillicents: number;
  spentMillicents: number;
  impressions: number;
  campaigns: KnownCampaign[];
  /** Null: too many to list. They are dropped, because the totals include them. */
  unsettled: UnsettledImpression[] | null;
  /** The requested ids that are written or quarantined. */
  handledImpressionIds: Set<string>;
}

/** What Postgres knows of a wallet before it is frozen. */
export interface WalletRow {
  epoch: number;
  slices: number;
}

/** The epochs and slices of advertisers' wallets in Postgres. */
export async function readWalletRows(
  database: Database,
  ids: readonly string[],
): Promise<Map<string, WalletRow>> {
  const rows = await database.advertiser.findMany({
    where: { id: { in: [...ids] } },
    select: { id: true, recoveryEpoch: true, walletSlices: true },
  });
  return new Map(
    rows.map(({ id, recoveryEpoch, walletSlices }) => [
      id,
      { epoch: safeInteger(recoveryEpoch, "recovery epoch"), slices: walletSlices },
    ]),
  );
}

/**
 * Begins new epochs for wallets and reads their totals in one transaction, during which billing writes nothing for
 * these advertisers. Later writes of records from an older epoch are recorded as settlements. Skips advertisers whose
 * epoch, or number of slices, differs from the given one, because another instance restores or divides them. Throws
 * StatementTimeout when other transactions keep their rows locked.
 */
export function beginEpochs(
  database: Database,
  known: ReadonlyMap<string, WalletRow>,
  { day, outbox }: { day: string; outbox: readonly { impressionId: string; day: string }[] },
): Promise<KnownAdvertiser[]> {
  return inTransaction(database, async (transaction) => {
    await transaction.$queryRaw`SELECT set_config('lock_timeout', ${String(MAX_LOCK_WAIT_MS)}, true),
      set_config('statement_timeout', ${String(MAX_LOCKING_MS)}, true)`;
    const wanted = [...known.keys()];
    const locked = await transaction.$queryRaw<{ id: string; epoch: bigint; slices: number }[]>`
      SELECT id, recovery_epoch AS epoch, wallet_slices AS slices FROM advertisers
      WHERE id = ANY(${wanted}) ORDER BY id FOR NO KEY UPDATE`;
    const ids = locked
      .filter(({ id, epoch, slices }) => {
        const read = known.get(id);
        return read?.epoch === Number(epoch) && read.slices === slices;
      })
      .map(({ id }) => id);
    const advertisers = await transaction.$queryRaw<AdvertiserRow[]>`
      UPDATE advertisers SET recovery_epoch = nextval('recovery_epochs') WHERE id = ANY(${ids})
      RETURNING id, recovery_epoch AS epoch, verified_recovery_epoch AS "verifiedEpoch", version, wallet_slices AS slices,
        deposited_millicents AS "depositedMillicents", spent_millicents AS "spentMillicents", impressions`;
    // Locked, so that a budget reduction in progress has finished.
    const campaigns = await transaction.$queryRaw<CampaignRow[]>`
      SELECT id, advertiser_id AS "advertiserId", version, status::text AS status, budget_cents AS "budgetCents",
        daily_cap_cents AS "dailyCapCents", spent_millicents AS "spentMillicents", impressions
      FROM campaigns WHERE advertiser_id = ANY(${ids}) ORDER BY id FOR NO KEY UPDATE`;
    await transaction.$executeRaw`SET LOCAL statement_timeout TO DEFAULT`;
    const daySpent = await transaction.$queryRaw<DayRow[]>`
      SELECT campaign_id AS "campaignId", day::text AS day, sum(spent_millicents)::bigint AS spent FROM campaign_rollups
      WHERE campaign_id = ANY(${campaigns.map(({ id }) => id)}) AND day >= ${day}::date GROUP BY 1, 2`;
    const unsettled = await readUnsettled(transaction, ids);
    const handled = outbox.length === 0 ? [] : await readHandled(transaction, outbox);
    return assemble(advertisers, campaigns, { daySpent, unsettled, handled });
  });
}

/** The impressions that are written or quarantined. */
function readHandled(
  transaction: Transaction,
  outbox: readonly { impressionId: string; day: string }[],
): Promise<{ id: string }[]> {
  const requested = JSON.stringify(outbox.map(({ impressionId, day }) => ({ id: impressionId, day })));
  const apart = Array.from({ length: 2 * MAX_DAYS_APART + 1 }, (_, index) => index - MAX_DAYS_APART);
  const daysAround = apart.map((days) => Prisma.sql`requested.day + ${days}::int`);
  const days = new Set(
    outbox.flatMap(({ day }) => apart.map((more) => utcDay(dateOfDay(day).getTime() + more * DAY_MS))),
  );
  // Single days: a range would walk the whole index of each partition. Those that are listed are planned and locked alone.
  return transaction.$queryRaw`
    SELECT requested.id FROM jsonb_to_recordset(${requested}::jsonb) AS requested(id text, day date)
    WHERE EXISTS (SELECT FROM impressions i
        WHERE i.day = ANY(ARRAY[${Prisma.join(daysAround)}]) AND i.day = ANY(${[...days]}::date[])
          AND i.impression_id = requested.id)
      OR EXISTS (SELECT FROM quarantined_impressions p WHERE p.impression_id = requested.id)`;
}

/** Kept until the wallet has them: a failed restore is repeated with the same ones. */
async function readUnsettled(
  transaction: Transaction,
  ids: readonly string[],
): Promise<Map<string, UnsettledImpression[] | null>> {
  const tooMany = await transaction.$queryRaw<{ advertiser_id: string }[]>`
    SELECT advertiser_id FROM wallet_settlements WHERE advertiser_id = ANY(${ids}) AND settled_at IS NULL
    GROUP BY advertiser_id HAVING count(*) > ${MAX_UNSETTLED}`;
  const skipped = tooMany.map(({ advertiser_id }) => advertiser_id);
  if (skipped.length > 0) {
    await transaction.$executeRaw`
      DELETE FROM wallet_settlements WHERE advertiser_id = ANY(${skipped}) AND settled_at IS NULL`;
    // A restore that fails is repeated without them: it must keep no match that one of them has yet to take.
    await transaction.$executeRaw`
      UPDATE advertisers SET verified_recovery_epoch = recovery_epoch WHERE id = ANY(${skipped})`;
  }
  const rows = await transaction.$queryRaw<UnsettledRow[]>`
    SELECT advertiser_id AS "advertiserId", kind::text AS kind, impression_id AS "impressionId", wallet_slice AS slice,
      campaign_id AS "campaignId", price_millicents AS "priceMillicents", committed_in_epoch AS "committedInEpoch"
    FROM wallet_settlements WHERE advertiser_id = ANY(${ids}) AND settled_at IS NULL`;
  const found = new Map<string, UnsettledImpression[] | null>(skipped.map((id) => [id, null]));
  for (const { advertiserId, ...row } of rows) {
    const known = found.get(advertiserId);
    const one = {
      ...row,
      priceMillicents: safeInteger(row.priceMillicents, "price"),
      committedInEpoch: safeInteger(row.committedInEpoch, "committed_in_epoch"),
    };
    if (known === undefined) found.set(advertiserId, [one]);
    else known?.push(one);
  }
  return found;
}

/** Records which epochs have reached their wallets, and with which late charges. */
export async function markVerified(
  database: Database,
  epochs: ReadonlyMap<string, number>,
  lateImpressionIds: readonly string[],
): Promise<void> {
  if (epochs.size === 0) return;
  if (lateImpressionIds.length > 0) {
    await database.$executeRaw`
      UPDATE wallet_settlements SET settled_at = now()
      WHERE kind = 'late' AND impression_id = ANY(${[...lateImpressionIds]}) AND settled_at IS NULL`;
  }
  await database.$executeRaw`
    UPDATE advertisers SET verified_recovery_epoch = restored.epoch
    FROM unnest(${[...epochs.keys()]}::text[], ${[...epochs.values()]}::bigint[]) AS restored(id, epoch)
    WHERE advertisers.id = restored.id AND verified_recovery_epoch < restored.epoch`;
}

/** As read by the driver. */
type AsRead<Known, Integers extends keyof Known> = Omit<Known, Integers> & Record<Integers, bigint>;

type AdvertiserRow = AsRead<
  Omit<KnownAdvertiser, "campaigns" | "unsettled" | "handledImpressionIds">,
  "epoch" | "verifiedEpoch" | "depositedMillicents" | "spentMillicents" | "impressions"
>;

type CampaignRow = { advertiserId: string } & AsRead<
  Omit<KnownCampaign, "spentMillicentsByDay">,
  "spentMillicents" | "impressions"
>;

type UnsettledRow = { advertiserId: string } & AsRead<
  UnsettledImpression,
  "priceMillicents" | "committedInEpoch"
>;

interface DayRow {
  campaignId: string;
  day: string;
  spent: bigint;
}

function assemble(
  advertisers: readonly AdvertiserRow[],
  campaigns: readonly CampaignRow[],
  found: {
    daySpent: readonly DayRow[];
    unsettled: ReadonlyMap<string, UnsettledImpression[] | null>;
    handled: readonly { id: string }[];
  },
): KnownAdvertiser[] {
  const daySpent = new Map<string, Map<string, number>>();
  for (const { campaignId, day, spent } of found.daySpent) {
    const days = daySpent.get(campaignId) ?? new Map<string, number>();
    daySpent.set(campaignId, days.set(day, safeInteger(spent, "spent on the day")));
  }
  const handledImpressionIds = new Set(found.handled.map(({ id }) => id));
  const byId = new Map<string, KnownAdvertiser>();
  for (const row of advertisers) {
    const unsettled = found.unsettled.get(row.id);
    byId.set(row.id, {
      ...row,
      epoch: safeInteger(row.epoch, "recovery epoch"),
      verifiedEpoch: safeInteger(row.verifiedEpoch, "verified epoch"),
      depositedMillicents: safeInteger(row.depositedMillicents, "deposited"),
      spentMillicents: safeInteger(row.spentMillicents, "spent"),
      impressions: safeInteger(row.impressions, "impressions"),
      campaigns: [],
      unsettled: unsettled === undefined ? [] : unsettled,
      handledImpressionIds,
    });
  }
  for (const { advertiserId, ...row } of campaigns) {
    byId.get(advertiserId)?.campaigns.push({
      ...row,
      spentMillicents: safeInteger(row.spentMillicents, "spent"),
      impressions: safeInteger(row.impressions, "impressions"),
      spentMillicentsByDay: daySpent.get(row.id) ?? new Map(),
    });
  }
  return [...byId.values()];
}
