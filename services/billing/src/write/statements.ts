import { Prisma, type Transaction } from "@diegetic/database";
import { type BilledImpression, decimalOfMillionths, RecordRefused } from "./billed-impression.ts";
import { Columns } from "./columns.ts";
import type { Posting } from "./posting.ts";
import type { NewUsers } from "./reached-users.ts";

/**
 * One statement per table, with the rows as one array per column. Every transaction takes its locks in the same order
 * (impressions, advertisers, campaigns, creatives, each by sorted keys), so that two batches wait for each other instead of
 * ending in a deadlock. All rows that are touched after the advertisers' belong to these advertisers: whoever has locked
 * them is alone with the rest, which is why sums are merged without a thought of others.
 */

/** Statements know their rows by key: without this the planner would read a table whole that it takes for a small one. */
export async function lookUpByKey(transaction: Transaction): Promise<void> {
  await transaction.$queryRaw`SELECT set_config('enable_hashjoin', 'off', true),
    set_config('enable_mergejoin', 'off', true), set_config('enable_seqscan', 'off', true)`;
}

/** Inserts impressions and returns the ids of those that were neither there nor set aside before. */
export async function insertImpressions(
  transaction: Transaction,
  impressions: readonly BilledImpression[],
): Promise<Set<string>> {
  const of = new Columns(impressions);
  const [inserted] = await transaction.$queryRaw<Touched[]>`
    WITH touched AS (INSERT INTO impressions (day, impression_id, match_id, advertiser_id, campaign_id, campaign_version,
      creative_id, game_id, developer_account_id, user_hash, session_key, country_code, affinity_score, affinities,
      price_millicents, revenue_share_basis_points, earning_microcents, matched_at, recorded_at)
    SELECT day, impression_id, match_id, advertiser_id, campaign_id, campaign_version,
      creative_id, game_id, developer_account_id, user_hash, session_key, country_code, affinity_score,
      affinities::jsonb, price_millicents, revenue_share_basis_points, earning_microcents,
      to_timestamp(matched_at_ms / 1000.0), to_timestamp(recorded_at_ms / 1000.0)
    FROM unnest(${of.days(({ day }) => day)}, ${of.texts(({ record }) => record.impression_id)},
      ${of.texts(({ record }) => record.match.match_id)}, ${of.texts(({ record }) => record.match.advertiser_id)},
      ${of.texts(({ record }) => record.match.campaign_id)},
      ${of.integers(({ record }) => record.match.campaign_version)}, ${of.texts(({ record }) => record.creative_id)},
      ${of.texts(({ record }) => record.match.game_id)},
      ${of.texts(({ record }) => record.match.developer_account_id)},
      ${of.texts(({ record }) => record.match.user_hash)}, ${of.texts(({ record }) => record.match.session_key)},
      ${of.texts(({ record }) => record.match.country_code)},
      ${of.decimals(({ affinityScoreMillionths }) => decimalOfMillionths(affinityScoreMillionths))},
      ${of.texts(({ record }) => JSON.stringify(record.match.affinities))},
      ${of.integers(({ record }) => record.match.price_millicents)},
      ${of.integers(({ record }) => record.match.revenue_share_basis_points)},
      ${of.integers(({ earningMicrocents }) => earningMicrocents)},
      ${of.integers(({ matchedAtMs }) => matchedAtMs)}, ${of.integers(({ record }) => record.recorded_at_ms)})
      AS r(day, impression_id, match_id, advertiser_id, campaign_id, campaign_version, creative_id, game_id,
        developer_account_id, user_hash, session_key, country_code, affinity_score, affinities, price_millicents,
        revenue_share_basis_points, earning_microcents, matched_at_ms, recorded_at_ms)
    WHERE NOT EXISTS (SELECT FROM poison_impressions p WHERE p.impression_id = r.impression_id)
    ORDER BY day, impression_id
    ON CONFLICT (day, impression_id) DO NOTHING
    RETURNING impression_id AS id) ${namesUnlessAll(impressions)}`;
  return namesOf(
    inserted,
    impressions.map(({ record }) => record.impression_id),
  );
}

/** As a rule a statement touches all rows that it was given: then their names need not travel back. */
interface Touched {
  /** JSON; null: all of them. */
  ids: string | null;
}

function namesUnlessAll(rows: readonly unknown[]): Prisma.Sql {
  return Prisma.sql`SELECT CASE WHEN count(*) < ${rows.length} THEN COALESCE(json_agg(id), '[]')::text END AS ids
    FROM touched`;
}

function namesOf(touched: Touched | undefined, all: readonly string[]): Set<string> {
  return new Set(touched?.ids == null ? all : (JSON.parse(touched.ids) as string[]));
}

/** Of impressions that were not inserted, those under whose ids other matches were written: charges of their own. */
export async function findConflicting(
  transaction: Transaction,
  impressions: readonly BilledImpression[],
): Promise<BilledImpression[]> {
  if (impressions.length === 0) return [];
  const of = new Columns(impressions);
  const rows = await transaction.$queryRaw<{ impression_id: string; match_id: string }[]>`
    SELECT i.impression_id, i.match_id
    FROM unnest(${of.days(({ day }) => day)}, ${of.texts(({ record }) => record.impression_id)})
      AS asked(day, impression_id)
    JOIN impressions i ON i.day = asked.day AND i.impression_id = asked.impression_id`;
  const written = new Map(rows.map((row) => [row.impression_id, row.match_id]));
  return impressions.filter(({ record }) => {
    const matchId = written.get(record.impression_id);
    return matchId !== undefined && matchId !== record.match.match_id;
  });
}

export interface LockedAdvertiser {
  id: string;
  /** Stays as it is while the row is locked. */
  slot_epoch: bigint;
  account_id: string;
}

/** Adds to the advertisers' totals, which locks them until the end. Throws RecordRefused when one is unknown. */
export async function moveAdvertisers(
  transaction: Transaction,
  moves: Posting["advertisers"],
): Promise<Map<string, LockedAdvertiser>> {
  const of = new Columns(moves);
  const moved = await transaction.$queryRaw<LockedAdvertiser[]>`
    UPDATE advertisers AS known SET spent_millicents = known.spent_millicents + m.spent_millicents,
      impressions = known.impressions + m.impressions
    FROM unnest(${of.texts(({ id }) => id)}, ${of.integers(({ spentMillicents }) => spentMillicents)},
      ${of.integers(({ impressions }) => impressions)}) AS m(id, spent_millicents, impressions)
    WHERE known.id = m.id RETURNING known.id, known.slot_epoch, known.account_id`;
  requireAll("advertiser", moves, new Set(idsOf(moved)));
  return new Map(moved.map((row) => [row.id, row]));
}

/** Adds to the campaigns' totals. Throws RecordRefused when one is unknown, or of another advertiser. */
export async function moveCampaigns(
  transaction: Transaction,
  moves: Posting["campaigns"],
  users: NewUsers["campaigns"],
): Promise<void> {
  const of = new Columns(moves);
  const [moved] = await transaction.$queryRaw<Touched[]>`
    WITH touched AS (UPDATE campaigns AS known SET spent_millicents = known.spent_millicents + m.spent_millicents,
      impressions = known.impressions + m.impressions, unique_users = known.unique_users + m.users
    FROM unnest(${of.texts(({ id }) => id)}, ${of.texts(({ advertiserId }) => advertiserId)},
      ${of.integers(({ spentMillicents }) => spentMillicents)}, ${of.integers(({ impressions }) => impressions)},
      ${of.integers((_, place) => users[place] ?? 0)}) AS m(id, advertiser_id, spent_millicents, impressions, users)
    WHERE known.id = m.id AND known.advertiser_id = m.advertiser_id RETURNING known.id)
    ${namesUnlessAll(moves)}`;
  requireAll("campaign", moves, namesOf(moved, idsOf(moves)));
}

/** Adds to the creatives' counts. Throws RecordRefused when one is unknown, or of another campaign. */
export async function moveCreatives(transaction: Transaction, moves: Posting["creatives"]): Promise<void> {
  const of = new Columns(moves);
  const [moved] = await transaction.$queryRaw<Touched[]>`
    WITH touched AS (UPDATE creatives AS known SET impressions = known.impressions + m.impressions
    FROM unnest(${of.texts(({ id }) => id)}, ${of.texts(({ campaignId }) => campaignId)},
      ${of.integers(({ impressions }) => impressions)}) AS m(id, campaign_id, impressions)
    WHERE known.id = m.id AND known.campaign_id = m.campaign_id RETURNING known.id)
    ${namesUnlessAll(moves)}`;
  requireAll("creative", moves, namesOf(moved, idsOf(moves)));
}

function idsOf(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

function requireAll(kind: string, moves: { id: string }[], known: ReadonlySet<string>): void {
  // A second move of the same row names another owner, which is not found.
  const missing = moves.find(({ id }) => !known.has(id));
  if (missing !== undefined)
    throw new RecordRefused(`${kind} ${missing.id} is unknown, or belongs elsewhere`);
  if (known.size !== moves.length) throw new RecordRefused(`one ${kind} is said to belong to two owners`);
}

/** Adds to the affinities' counts. One that is unknown, deleted or of another campaign is passed over. */
export async function moveAffinities(transaction: Transaction, moves: Posting["affinities"]): Promise<void> {
  if (moves.length === 0) return;
  const of = new Columns(moves);
  await transaction.$executeRaw`
    UPDATE affinities a
    SET impressions = a.impressions + m.impressions, contribution_sum = a.contribution_sum + m.contribution_sum
    FROM unnest(${of.texts(({ id }) => id)}, ${of.texts(({ campaignId }) => campaignId)},
      ${of.integers(({ impressions }) => impressions)}, ${of.decimals(({ contributionSum }) => contributionSum)})
      AS m(id, campaign_id, impressions, contribution_sum)
    WHERE a.id = m.id AND a.campaign_id = m.campaign_id`;
}

export async function moveCampaignVersions(
  transaction: Transaction,
  moves: Posting["campaignVersions"],
): Promise<void> {
  const of = new Columns(moves);
  await transaction.$executeRaw`
    MERGE INTO campaign_version_rollups AS known
    USING unnest(${of.texts(({ campaignId }) => campaignId)},
      ${of.integers(({ campaignVersion }) => campaignVersion)}, ${of.integers(({ impressions }) => impressions)})
      AS m(campaign_id, campaign_version, impressions)
    ON known.campaign_id = m.campaign_id AND known.campaign_version = m.campaign_version
    WHEN MATCHED THEN UPDATE SET impressions = known.impressions + m.impressions
    WHEN NOT MATCHED THEN INSERT (campaign_id, campaign_version, impressions)
      VALUES (m.campaign_id, m.campaign_version, m.impressions)`;
}

export async function moveCampaignRollups(
  transaction: Transaction,
  moves: Posting["campaignRollups"],
  users: NewUsers["campaignRollups"],
): Promise<void> {
  const of = new Columns(moves);
  await transaction.$executeRaw`
    MERGE INTO campaign_rollups AS known
    USING unnest(${of.texts(({ campaignId }) => campaignId)}, ${of.days(({ day }) => day)},
      ${of.integers(({ impressions }) => impressions)}, ${of.integers(({ spentMillicents }) => spentMillicents)},
      ${of.decimals(({ affinityScoreSum }) => affinityScoreSum)}, ${of.integers((_, place) => users[place] ?? 0)})
      AS m(campaign_id, day, impressions, spent_millicents, affinity_score_sum, users)
    ON known.campaign_id = m.campaign_id AND known.day = m.day
    WHEN MATCHED THEN UPDATE SET impressions = known.impressions + m.impressions,
      spent_millicents = known.spent_millicents + m.spent_millicents,
      affinity_score_sum = known.affinity_score_sum + m.affinity_score_sum, users = known.users + m.users
    WHEN NOT MATCHED THEN INSERT (campaign_id, day, impressions, spent_millicents, affinity_score_sum, users)
      VALUES (m.campaign_id, m.day, m.impressions, m.spent_millicents, m.affinity_score_sum, m.users)`;
}

export async function moveBreakdowns(
  transaction: Transaction,
  moves: Posting["breakdowns"],
  newUsers: Pick<NewUsers, "creatives" | "countries">,
): Promise<void> {
  // Players of games are not counted.
  const users = [...newUsers.creatives, ...newUsers.countries];
  const of = new Columns(moves);
  await transaction.$executeRaw`
    MERGE INTO campaign_breakdowns AS known
    USING unnest(${of.texts(({ campaignId }) => campaignId)},
      ${of.texts(({ dimension }) => dimension)}::breakdown_dimension[], ${of.texts(({ key }) => key)},
      ${of.integers(({ impressions }) => impressions)}, ${of.integers(({ spentMillicents }) => spentMillicents)},
      ${of.decimals(({ affinityScoreSum }) => affinityScoreSum)}, ${of.integers((_, place) => users[place] ?? 0)})
      AS m(campaign_id, dimension, dimension_key, impressions, spent_millicents, affinity_score_sum, users)
    ON known.campaign_id = m.campaign_id AND known.dimension = m.dimension AND known.dimension_key = m.dimension_key
    WHEN MATCHED THEN UPDATE SET impressions = known.impressions + m.impressions,
      spent_millicents = known.spent_millicents + m.spent_millicents,
      affinity_score_sum = known.affinity_score_sum + m.affinity_score_sum, users = known.users + m.users
    WHEN NOT MATCHED THEN INSERT
      (campaign_id, dimension, dimension_key, impressions, spent_millicents, affinity_score_sum, users)
      VALUES (m.campaign_id, m.dimension, m.dimension_key, m.impressions, m.spent_millicents, m.affinity_score_sum,
        m.users)`;
}
