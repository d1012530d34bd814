import { randomUUID } from "node:crypto";
import {
  type Pipeline,
  type Prisma,
  type Statements,
  TransactionConflict,
  UniqueViolation,
} from "@diegetic/database";
import type { BilledImpression } from "./billed-impression.ts";
import { missingImpressionsStatement, quarantineStatement } from "./impression-statements.ts";
import { findOnOtherDays } from "./other-days.ts";
import { type DeltaStatements, deltaStatementsOf, type PreparedBatch } from "./prepare-batch.ts";
import { countNewUsers, type Known } from "./reached-users.ts";
import { committedInEpoch, settlementsStatement } from "./settlements.ts";
import {
  findConflicting,
  LOOK_UP_BY_KEY,
  type LockedAdvertiser,
  otherCharges,
  requireAll,
  requireTouched,
  type Touched,
} from "./statements.ts";

export interface WrittenBatch {
  /** Newly written impressions. */
  written: number;
  /** Newly written impressions that a restored wallet does not know yet; settlements were recorded for them. */
  late: number;
  /** Impressions that cannot be written, because their id is stored with another charge. */
  conflicting: BilledImpression[];
  /** Impressions that are not written, because their operation is already billed with another match. */
  repeated: BilledImpression[];
  /** Impressions that are not written, because they are quarantined. */
  quarantined: QuarantinedBefore[];
}

export interface QuarantinedBefore {
  impression: BilledImpression;
  /** Of the record that was quarantined. */
  reason: string;
}

export const NOTHING_WRITTEN: WrittenBatch = {
  written: 0,
  late: 0,
  conflicting: [],
  repeated: [],
  quarantined: [],
};

/** What two batches wrote together. */
export function sumOf(one: WrittenBatch, other: WrittenBatch): WrittenBatch {
  return {
    written: one.written + other.written,
    late: one.late + other.late,
    conflicting: [...one.conflicting, ...other.conflicting],
    repeated: [...one.repeated, ...other.repeated],
    quarantined: [...one.quarantined, ...other.quarantined],
  };
}

/** LockTimeout after it; default: a lock is waited for as long as a statement may take. */
interface LockLimits {
  lockTimeoutMs?: number;
}

interface Named {
  id: string;
}

interface Quarantined extends Named {
  reason: string;
}

/** Some of the impressions were already written or quarantined. */
class SomeAreKnown extends Error {}

/**
 * Some of the impressions were quarantined, or their operations billed, while the transaction waited for their
 * advertisers: a new attempt sees it.
 */
class DecidedMeanwhile extends TransactionConflict {
  override name = "DecidedMeanwhile";
}

/**
 * Writes impressions in one transaction; only new ones change totals. All or nothing: rejects with RecordRefused or
 * ConstraintViolation when one cannot be written, with DatabaseUnavailable when a retry may help.
 */
export async function writeBatch(
  pipeline: Pipeline,
  prepared: PreparedBatch,
  limits: LockLimits = {},
): Promise<WrittenBatch> {
  const { impressions } = prepared;
  if (impressions.length === 0) return NOTHING_WRITTEN;
  if (impressions.some(({ otherDays }) => otherDays.length > 0))
    return writeUnknown(pipeline, prepared, limits);
  try {
    return await pipeline.inTransaction((statements) => writeNew(statements, prepared), limits);
  } catch (error) {
    // Usually a job that was delivered again.
    if (!(error instanceof SomeAreKnown || error instanceof UniqueViolation)) throw error;
    return writeUnknown(pipeline, prepared, limits);
  }
}

/** The usual case: all impressions are new. */
async function writeNew(
  statements: Statements,
  { impressions, insert, deltaStatements }: PreparedBatch,
): Promise<WrittenBatch> {
  const inserting = statements.execute(insert);
  const applying = applyDeltas(statements, deltaStatements, {
    check: async () => {
      if ((await inserting) < impressions.length) throw new SomeAreKnown();
    },
    decided: () => new SomeAreKnown(),
  });
  return { ...NOTHING_WRITTEN, written: impressions.length, late: await applying };
}

/** Finds out first which of the impressions are new. */
function writeUnknown(
  pipeline: Pipeline,
  { impressions, deltaStatements }: PreparedBatch,
  limits: LockLimits,
): Promise<WrittenBatch> {
  return pipeline.inTransaction(async (statements) => {
    // Otherwise the planner scans the partition of a whole day.
    void statements.query(LOOK_UP_BY_KEY);
    const elsewhere = await findOnOtherDays(statements, impressions);
    const billed = await queryUnlessNull(statements, deltaStatements.billedOperations);
    const ofBilled = new Set(billed.map(({ id }) => id));
    const repeated = impressions.filter(({ record }) => ofBilled.has(record.impression_id));
    const own = impressions.filter(
      ({ record: { impression_id: id } }) => !elsewhere.has(id) && !ofBilled.has(id),
    );
    const rows = await statements.query<{ id: string }>(missingImpressionsStatement(own));
    const inserted = new Set(rows.map(({ id }) => id));
    const known = own.filter(({ record }) => !inserted.has(record.impression_id));
    const conflicting = [
      ...(await findConflicting(statements, known)),
      ...otherCharges(impressions, elsewhere),
    ];
    const quarantined = await findQuarantined(statements, known);
    if (inserted.size === 0) return { ...NOTHING_WRITTEN, conflicting, repeated, quarantined };
    const fresh = own.filter(({ record }) => inserted.has(record.impression_id));
    const isWhole = fresh.length === impressions.length;
    const late = await applyDeltas(statements, isWhole ? deltaStatements : await deltaStatementsOf(fresh), {
      check: async () => {},
      decided: () =>
        new DecidedMeanwhile("another worker has quarantined an impression, or billed its operation"),
    });
    return { written: inserted.size, late, conflicting, repeated, quarantined };
  }, limits);
}

async function findQuarantined(
  statements: Statements,
  impressions: readonly BilledImpression[],
): Promise<QuarantinedBefore[]> {
  if (impressions.length === 0) return [];
  const rows = await statements.query<Quarantined>(quarantineStatement(impressions));
  const reasons = new Map(rows.map(({ id, reason }) => [id, reason]));
  return impressions.flatMap((impression) => {
    const reason = reasons.get(impression.record.impression_id);
    return reason === undefined ? [] : [{ impression, reason }];
  });
}

/**
 * Applies the deltas of new impressions, and returns how many of them their wallets do not know yet. Statements that
 * depend on earlier answers are sent when those arrive; Postgres runs others meanwhile. Waits only for what decides
 * whether to commit.
 *
 * @param check rejects when some impressions are not new
 * @param decided the error to throw when some were quarantined, or their operations billed, before their advertisers
 * were locked
 */
async function applyDeltas(
  statements: Statements,
  deltaStatements: DeltaStatements,
  { check, decided }: { check: () => Promise<void>; decided: () => Error },
): Promise<number> {
  const { groups, deltas, impressions } = deltaStatements;
  void statements.query(LOOK_UP_BY_KEY);
  const locking = statements.query<LockedAdvertiser>(deltaStatements.advertisers);
  // A quarantine or a billed operation locks the advertiser first, so what the insert could not see is visible from here on.
  const quarantining = statements.query<Named>(deltaStatements.quarantine);
  const repeating = queryUnlessNull(statements, deltaStatements.billedOperations);
  const reaching = statements.query<Known>(deltaStatements.reached);
  void statements.execute(deltaStatements.campaignVersions);
  void statements.execute(deltaStatements.campaignGames);
  void statements.execute(deltaStatements.gameAdvertisers);
  await check();
  const [locked, quarantine, repeated] = await Promise.all([locking, quarantining, repeating]);
  if (quarantine.length + repeated.length > 0) throw decided();
  const advertiserIds = deltas.advertisers.map(({ first }) => first.record.match.advertiser_id);
  requireAll("advertiser", advertiserIds, new Set(locked.map(({ id }) => id)));
  const advertisers = new Map(locked.map((row) => [row.id, row]));
  const late = impressions.filter(
    ({ record }) =>
      BigInt(committedInEpoch(record)) !== advertisers.get(record.match.advertiser_id)?.recovery_epoch,
  );
  void statements.execute(deltaStatements.ledger(`batch_${randomUUID()}`, advertisers));
  const users = countNewUsers(groups, await reaching);
  const owned = [
    statements.query<Touched>(deltaStatements.campaigns(users.campaigns)),
    statements.query<Touched>(deltaStatements.creatives(users.creatives)),
  ] as const;
  void statements.execute(deltaStatements.affinities);
  void statements.execute(deltaStatements.campaignRollups(users.campaignRollups));
  void statements.execute(deltaStatements.countries(users.countries));
  if (late.length > 0) void statements.execute(settlementsStatement("late", late));
  void statements.execute(deltaStatements.gameTotals);
  void statements.execute(deltaStatements.gameRollups);
  const [[campaigns], [creatives]] = await Promise.all(owned);
  const campaignIds = deltas.campaigns.map(({ first }) => first.record.match.campaign_id);
  requireTouched("campaign", campaignIds, campaigns);
  const creativeIds = deltas.creatives.map(({ first }) => first.record.creative_id);
  requireTouched("creative", creativeIds, creatives);
  return late.length;
}

/** Sends the query immediately. */
function queryUnlessNull(
  statements: Statements,
  statement: Prisma.Sql | null,
): Promise<Named[]> | readonly Named[] {
  return statement === null ? [] : statements.query<Named>(statement);
}
