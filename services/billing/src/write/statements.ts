import { Prisma, type Statements } from "@diegetic/database";
import {
  type BilledImpression,
  type ChargedMatch,
  isSameCharge,
  RecordRefused,
} from "./billed-impression.ts";
import { Columns } from "./columns.ts";
import { findStored } from "./impression-statements.ts";
import type { NewUsers } from "./reached-users.ts";
import type { RollupDeltas } from "./rollup-deltas.ts";
import { arraysOf, merge, statement, statementWithUsers, usersArray } from "./sum-statements.ts";

/**
 * One statement per table, with the rows as one array per column. To avoid deadlocks, every transaction locks in the
 * same order: impressions, advertisers, the advertisers' own rows, then game totals by sorted keys. A locked
 * advertiser's rows have no other writer, so MERGE is safe there. Advertisers share game rows, which need ON CONFLICT
 * (earning-statements.ts).
 */

/**
 * Statements find rows by key; without this, the planner scans tables that it believes to be small, and combines the index of
 * a key with that of a whole day while the day has no statistics.
 */
export const LOOK_UP_BY_KEY = Prisma.sql`SELECT set_config('enable_hashjoin', 'off', true),
    set_config('enable_mergejoin', 'off', true), set_config('enable_seqscan', 'off', true),
    set_config('enable_bitmapscan', 'off', true)`;

/** Usually a statement touches all given rows; then it returns no ids. */
export interface Touched {
  /** JSON; null: all rows. */
  ids: string | null;
}

function namesUnlessAll(rows: readonly unknown[]): Prisma.Sql {
  return Prisma.sql`SELECT CASE WHEN count(*) < ${rows.length} THEN COALESCE(json_agg(id), '[]')::text END AS ids
    FROM touched`;
}

/** Throws RecordRefused when a row was not touched: it is unknown, or has another owner. */
export function requireTouched(kind: string, ids: readonly string[], touched: Touched | undefined): void {
  if (touched?.ids == null) return;
  requireAll(kind, ids, new Set(JSON.parse(touched.ids) as string[]));
}

/** Of impressions that were not inserted, returns those whose id is stored with another charge. */
export async function findConflicting(
  statements: Statements,
  impressions: readonly BilledImpression[],
): Promise<BilledImpression[]> {
  const stored = await findStored(statements, impressions);
  return otherCharges(impressions, new Map(stored.map((row) => [row.impression_id, row])));
}

/** Returns the impressions whose id is stored with another charge. */
export function otherCharges(
  impressions: readonly BilledImpression[],
  stored: ReadonlyMap<string, ChargedMatch>,
): BilledImpression[] {
  return impressions.filter(({ record }) => {
    const known = stored.get(record.impression_id);
    return known !== undefined && !isSameCharge(known, record.match);
  });
}

export interface LockedAdvertiser {
  id: string;
  /** Constant while the row is locked. */
  recovery_epoch: bigint;
  account_id: string;
}

/** Adds to the advertisers' totals, locks the rows until the commit, and returns LockedAdvertiser. */
export function advertisersStatement({ advertisers }: RollupDeltas): Prisma.Sql {
  return Prisma.sql`
    UPDATE advertisers AS known SET spent_millicents = known.spent_millicents + m.spent_millicents,
      impressions = known.impressions + m.impressions
    FROM unnest(${arraysOf(advertisers, ["advertiser_id", "spent_millicents", "impressions"])})
      AS m(id, spent_millicents, impressions)
    WHERE known.id = m.id RETURNING known.id, known.recovery_epoch, known.account_id`;
}

/** Adds to the campaigns' totals, given the new players of each; returns Touched. */
export function campaignsStatement({
  campaigns,
}: RollupDeltas): (users: NewUsers["campaigns"]) => Prisma.Sql {
  const arrays = arraysOf(campaigns, ["campaign_id", "advertiser_id", "spent_millicents", "impressions"]);
  return (users) => Prisma.sql`
    WITH touched AS (UPDATE campaigns AS known SET spent_millicents = known.spent_millicents + m.spent_millicents,
      impressions = known.impressions + m.impressions, unique_users = known.unique_users + m.users
    FROM unnest(${arrays}, ${usersArray(users)}) AS m(id, advertiser_id, spent_millicents, impressions, users)
    WHERE known.id = m.id AND known.advertiser_id = m.advertiser_id RETURNING known.id)
    ${namesUnlessAll(campaigns)}`;
}

/** Adds to the creatives' sums, given the new players of each; returns Touched. */
export function creativesStatement({
  creatives,
}: RollupDeltas): (users: NewUsers["creatives"]) => Prisma.Sql {
  const arrays = arraysOf(creatives, [
    "creative_id",
    "campaign_id",
    "impressions",
    "spent_millicents",
    "affinity_score_sum",
  ]);
  return (users) => Prisma.sql`
    WITH touched AS (UPDATE creatives AS known SET impressions = known.impressions + m.impressions,
      spent_millicents = known.spent_millicents + m.spent_millicents,
      affinity_score_sum = known.affinity_score_sum + m.affinity_score_sum, unique_users = known.unique_users + m.users
    FROM unnest(${arrays}, ${usersArray(users)})
      AS m(id, campaign_id, impressions, spent_millicents, affinity_score_sum, users)
    WHERE known.id = m.id AND known.campaign_id = m.campaign_id RETURNING known.id)
    ${namesUnlessAll(creatives)}`;
}

/** Throws RecordRefused when a row is unknown, or is named with two owners. */
export function requireAll(kind: string, ids: readonly string[], known: ReadonlySet<string>): void {
  // A second delta of the same row names another owner, which is not found.
  const missing = ids.find((id) => !known.has(id));
  if (missing !== undefined) throw new RecordRefused(`${kind} ${missing} is unknown, or belongs elsewhere`);
  if (known.size !== ids.length) throw new RecordRefused(`one ${kind} is named with two owners`);
}

/** Adds to the affinities' counts. Skips unknown and deleted affinities, and those of another campaign. */
export function affinitiesStatement({ affinities }: RollupDeltas): Prisma.Sql {
  const of = new Columns(affinities);
  return Prisma.sql`
    UPDATE affinities a
    SET impressions = a.impressions + m.impressions, contribution_sum = a.contribution_sum + m.contribution_sum
    FROM unnest(${of.texts(({ id }) => id)}, ${of.texts(({ campaignId }) => campaignId)},
      ${of.integers(({ impressions }) => impressions)}, ${of.decimals(({ contributionSum }) => contributionSum)})
      AS m(id, campaign_id, impressions, contribution_sum)
    WHERE a.id = m.id AND a.campaign_id = m.campaign_id`;
}

export const campaignVersionsStatement = statement(merge, {
  name: "campaign_version_rollups",
  deltas: "campaignVersions",
  keys: ["campaign_id", "campaign_version"],
  sums: ["impressions"],
});

export const campaignRollupsStatement = statementWithUsers(merge, {
  name: "campaign_rollups",
  deltas: "campaignRollups",
  keys: ["campaign_id", "day"],
  sums: ["impressions", "spent_millicents", "affinity_score_sum"],
});

export const countriesStatement = statementWithUsers(merge, {
  name: "campaign_countries",
  deltas: "countries",
  keys: ["campaign_id", "country_code"],
  sums: ["impressions", "spent_millicents"],
});
