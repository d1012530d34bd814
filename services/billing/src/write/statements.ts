import { Prisma, type Statements } from "@diegetic/database";
import { type BilledImpression, RecordRefused } from "./billed-impression.ts";
import { Columns } from "./columns.ts";
import { findStored } from "./impression-statements.ts";
import type { NewUsers } from "./reached-users.ts";
import type { RollupDeltas } from "./rollup-deltas.ts";

/**
 * One statement per table, with the rows as one array per column. To avoid deadlocks, every transaction locks in the
 * same order: impressions, advertisers, the advertisers' own rows, then game totals by sorted keys. A locked
 * advertiser's rows have no other writer, so MERGE is safe there. Advertisers share game rows, which need ON CONFLICT
 * (earning-statements.ts).
 */

/** Statements find rows by key; without this, the planner scans tables that it believes to be small. */
export const LOOK_UP_BY_KEY = Prisma.sql`SELECT set_config('enable_hashjoin', 'off', true),
    set_config('enable_mergejoin', 'off', true), set_config('enable_seqscan', 'off', true)`;

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
export function requireTouched(
  kind: string,
  deltas: readonly { id: string }[],
  touched: Touched | undefined,
): void {
  if (touched?.ids == null) return;
  requireAll(kind, deltas, new Set(JSON.parse(touched.ids) as string[]));
}

/** Of impressions that were not inserted, returns those whose id is stored with another match: separate charges. */
export async function findConflicting(
  statements: Statements,
  impressions: readonly BilledImpression[],
): Promise<BilledImpression[]> {
  const stored = await findStored(statements, impressions);
  const matchIds = new Map(stored.map((row) => [row.impression_id, row.match_id]));
  return impressions.filter(({ record }) => {
    const matchId = matchIds.get(record.impression_id);
    return matchId !== undefined && matchId !== record.match.match_id;
  });
}

export interface LockedAdvertiser {
  id: string;
  /** Constant while the row is locked. */
  recovery_epoch: bigint;
  account_id: string;
}

/** Adds to the advertisers' totals, locks the rows until the commit, and returns LockedAdvertiser. */
export function advertisersStatement(deltas: RollupDeltas["advertisers"]): Prisma.Sql {
  const of = new Columns(deltas);
  return Prisma.sql`
    UPDATE advertisers AS known SET spent_millicents = known.spent_millicents + m.spent_millicents,
      impressions = known.impressions + m.impressions
    FROM unnest(${of.texts(({ id }) => id)}, ${of.integers(({ spentMillicents }) => spentMillicents)},
      ${of.integers(({ impressions }) => impressions)}) AS m(id, spent_millicents, impressions)
    WHERE known.id = m.id RETURNING known.id, known.recovery_epoch, known.account_id`;
}

/** Adds to the campaigns' totals, given the new players of each; returns Touched. */
export function campaignsStatement(
  deltas: RollupDeltas["campaigns"],
): (users: NewUsers["campaigns"]) => Prisma.Sql {
  const of = new Columns(deltas);
  const known = Prisma.sql`${of.texts(({ id }) => id)}, ${of.texts(({ advertiserId }) => advertiserId)},
      ${of.integers(({ spentMillicents }) => spentMillicents)}, ${of.integers(({ impressions }) => impressions)}`;
  return (users) => Prisma.sql`
    WITH touched AS (UPDATE campaigns AS known SET spent_millicents = known.spent_millicents + m.spent_millicents,
      impressions = known.impressions + m.impressions, unique_users = known.unique_users + m.users
    FROM unnest(${known}, ${of.integers((_, index) => users[index] ?? 0)})
      AS m(id, advertiser_id, spent_millicents, impressions, users)
    WHERE known.id = m.id AND known.advertiser_id = m.advertiser_id RETURNING known.id)
    ${namesUnlessAll(deltas)}`;
}

/** Adds to the creatives' sums, given the new players of each; returns Touched. */
export function creativesStatement(
  deltas: RollupDeltas["creatives"],
): (users: NewUsers["creatives"]) => Prisma.Sql {
  const of = new Columns(deltas);
  const known = Prisma.sql`${of.texts(({ id }) => id)}, ${of.texts(({ campaignId }) => campaignId)},
      ${of.integers(({ impressions }) => impressions)}, ${of.integers(({ spentMillicents }) => spentMillicents)},
      ${of.decimals(({ affinityScoreSum }) => affinityScoreSum)}`;
  return (users) => Prisma.sql`
    WITH touched AS (UPDATE creatives AS known SET impressions = known.impressions + m.impressions,
      spent_millicents = known.spent_millicents + m.spent_millicents,
      affinity_score_sum = known.affinity_score_sum + m.affinity_score_sum, unique_users = known.unique_users + m.users
    FROM unnest(${known}, ${of.integers((_, index) => users[index] ?? 0)})
      AS m(id, campaign_id, impressions, spent_millicents, affinity_score_sum, users)
    WHERE known.id = m.id AND known.campaign_id = m.campaign_id RETURNING known.id)
    ${namesUnlessAll(deltas)}`;
}

/** Throws RecordRefused when a row is unknown, or is named with two owners. */
export function requireAll(
  kind: string,
  deltas: readonly { id: string }[],
  known: ReadonlySet<string>,
): void {
  // A second delta of the same row names another owner, which is not found.
  const missing = deltas.find(({ id }) => !known.has(id));
  if (missing !== undefined)
    throw new RecordRefused(`${kind} ${missing.id} is unknown, or belongs elsewhere`);
  if (known.size !== deltas.length) throw new RecordRefused(`one ${kind} is named with two owners`);
}

/** Adds to the affinities' counts. Skips unknown and deleted affinities, and those of another campaign. */
export function affinitiesStatement(deltas: RollupDeltas["affinities"]): Prisma.Sql {
  const of = new Columns(deltas);
  return Prisma.sql`
    UPDATE affinities a
    SET impressions = a.impressions + m.impressions, contribution_sum = a.contribution_sum + m.contribution_sum
    FROM unnest(${of.texts(({ id }) => id)}, ${of.texts(({ campaignId }) => campaignId)},
      ${of.integers(({ impressions }) => impressions)}, ${of.decimals(({ contributionSum }) => contributionSum)})
      AS m(id, campaign_id, impressions, contribution_sum)
    WHERE a.id = m.id AND a.campaign_id = m.campaign_id`;
}

export function campaignVersionsStatement(deltas: RollupDeltas["campaignVersions"]): Prisma.Sql {
  const of = new Columns(deltas);
  return Prisma.sql`
    MERGE INTO campaign_version_rollups AS known
    USING unnest(${of.texts(({ campaignId }) => campaignId)},
      ${of.integers(({ campaignVersion }) => campaignVersion)}, ${of.integers(({ impressions }) => impressions)})
      AS m(campaign_id, campaign_version, impressions)
    ON known.campaign_id = m.campaign_id AND known.campaign_version = m.campaign_version
    WHEN MATCHED THEN UPDATE SET impressions = known.impressions + m.impressions
    WHEN NOT MATCHED THEN INSERT (campaign_id, campaign_version, impressions)
      VALUES (m.campaign_id, m.campaign_version, m.impressions)`;
}

export function campaignRollupsStatement(
  deltas: RollupDeltas["campaignRollups"],
): (users: NewUsers["campaignRollups"]) => Prisma.Sql {
  const of = new Columns(deltas);
  const known = Prisma.sql`${of.texts(({ campaignId }) => campaignId)}, ${of.days(({ day }) => day)},
      ${of.integers(({ impressions }) => impressions)}, ${of.integers(({ spentMillicents }) => spentMillicents)},
      ${of.decimals(({ affinityScoreSum }) => affinityScoreSum)}`;
  return (users) => Prisma.sql`
    MERGE INTO campaign_rollups AS known
    USING unnest(${known}, ${of.integers((_, index) => users[index] ?? 0)})
      AS m(campaign_id, day, impressions, spent_millicents, affinity_score_sum, users)
    ON known.campaign_id = m.campaign_id AND known.day = m.day
    WHEN MATCHED THEN UPDATE SET impressions = known.impressions + m.impressions,
      spent_millicents = known.spent_millicents + m.spent_millicents,
      affinity_score_sum = known.affinity_score_sum + m.affinity_score_sum, users = known.users + m.users
    WHEN NOT MATCHED THEN INSERT (campaign_id, day, impressions, spent_millicents, affinity_score_sum, users)
      VALUES (m.campaign_id, m.day, m.impressions, m.spent_millicents, m.affinity_score_sum, m.users)`;
}

export function countriesStatement(
  deltas: RollupDeltas["countries"],
): (users: NewUsers["countries"]) => Prisma.Sql {
  const of = new Columns(deltas);
  const known = Prisma.sql`${of.texts(({ campaignId }) => campaignId)}, ${of.texts(({ countryCode }) => countryCode)},
      ${of.integers(({ impressions }) => impressions)}, ${of.integers(({ spentMillicents }) => spentMillicents)}`;
  return (users) => Prisma.sql`
    MERGE INTO campaign_countries AS known
    USING unnest(${known}, ${of.integers((_, index) => users[index] ?? 0)})
      AS m(campaign_id, country_code, impressions, spent_millicents, users)
    ON known.campaign_id = m.campaign_id AND known.country_code = m.country_code
    WHEN MATCHED THEN UPDATE SET impressions = known.impressions + m.impressions,
      spent_millicents = known.spent_millicents + m.spent_millicents, users = known.users + m.users
    WHEN NOT MATCHED THEN INSERT (campaign_id, country_code, impressions, spent_millicents, users)
      VALUES (m.campaign_id, m.country_code, m.impressions, m.spent_millicents, m.users)`;
}
