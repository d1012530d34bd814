import { Prisma, type Transaction } from "@diegetic/database";
import { type BilledImpression, decimalOfMillionths, RecordRefused } from "./billed-impression.ts";
import type { Posting } from "./posting.ts";

/**
 * One statement per table. Every transaction takes its locks in the same order (these functions from top to bottom,
 * each by sorted keys), so that two batches wait for each other instead of ending in a deadlock.
 */

/** Inserts impressions and returns the ids of those that were neither there nor set aside before. */
export async function insertImpressions(
  transaction: Transaction,
  impressions: readonly BilledImpression[],
): Promise<Set<string>> {
  const rows = JSON.stringify(impressions.map(rowOf));
  const inserted = await transaction.$queryRaw<{ impression_id: string }[]>`
    INSERT INTO impressions (day, impression_id, match_id, advertiser_id, campaign_id, campaign_version,
      creative_id, game_id, developer_account_id, user_hash, session_key, country_code, affinity_score, affinities,
      price_millicents, revenue_share_basis_points, earning_microcents, matched_at, recorded_at)
    SELECT day, impression_id, match_id, advertiser_id, campaign_id, campaign_version,
      creative_id, game_id, developer_account_id, user_hash, session_key, country_code, affinity_score, affinities,
      price_millicents, revenue_share_basis_points, earning_microcents, matched_at, recorded_at
    FROM jsonb_to_recordset(${rows}::jsonb) AS r(day date, impression_id text, match_id text, advertiser_id text,
      campaign_id text, campaign_version int, creative_id text, game_id text, developer_account_id text,
      user_hash text, session_key text, country_code text, affinity_score numeric, affinities jsonb,
      price_millicents bigint, revenue_share_basis_points int, earning_microcents bigint, matched_at timestamptz,
      recorded_at timestamptz)
    WHERE NOT EXISTS (SELECT FROM poison_impressions p WHERE p.impression_id = r.impression_id)
    ORDER BY day, impression_id
    ON CONFLICT (day, impression_id) DO NOTHING
    RETURNING impression_id`;
  return new Set(inserted.map((row) => row.impression_id));
}

function rowOf({ record, day, matchedAtMs, earningMicrocents, affinityScoreMillionths }: BilledImpression) {
  const { match_id, matched_at_ms: _, ...match } = record.match;
  return {
    ...match,
    day,
    impression_id: record.impression_id,
    match_id,
    creative_id: record.creative_id,
    affinity_score: decimalOfMillionths(affinityScoreMillionths),
    earning_microcents: String(earningMicrocents),
    matched_at: new Date(matchedAtMs).toISOString(),
    recorded_at: new Date(record.recorded_at_ms).toISOString(),
  };
}

/** Of impressions that were not inserted, those under whose ids other matches were written: charges of their own. */
export async function findConflicting(
  transaction: Transaction,
  impressions: readonly BilledImpression[],
): Promise<BilledImpression[]> {
  if (impressions.length === 0) return [];
  const asked = JSON.stringify(
    impressions.map(({ record, day }) => ({ day, impression_id: record.impression_id })),
  );
  const rows = await transaction.$queryRaw<{ impression_id: string; match_id: string }[]>`
    SELECT i.impression_id, i.match_id
    FROM jsonb_to_recordset(${asked}::jsonb) AS asked(day date, impression_id text)
    JOIN impressions i ON i.day = asked.day AND i.impression_id = asked.impression_id`;
  const written = new Map(rows.map((row) => [row.impression_id, row.match_id]));
  return impressions.filter(({ record }) => {
    const matchId = written.get(record.impression_id);
    return matchId !== undefined && matchId !== record.match.match_id;
  });
}

const ADD_MONEY = Prisma.sql`spent_millicents = known.spent_millicents + m.spent_millicents,
  impressions = known.impressions + m.impressions`;

/**
 * Adds to the advertisers' totals and returns the epochs of their slots, which stay as they are while the rows are locked.
 * Throws RecordRefused when an advertiser is unknown.
 */
export async function moveAdvertisers(
  transaction: Transaction,
  moves: Posting["advertisers"],
): Promise<Map<string, bigint>> {
  const locked = await lockAndAdd<{ id: string; slot_epoch: bigint }>(transaction, moves, {
    kind: "advertiser",
    table: Prisma.sql`advertisers`,
    identity: Prisma.sql`id`,
    read: Prisma.sql`id, slot_epoch`,
    add: ADD_MONEY,
  });
  return new Map(locked.map((row) => [row.id, row.slot_epoch]));
}

/** Adds to the campaigns' totals. Throws RecordRefused when one is unknown, or of another advertiser. */
export async function moveCampaigns(transaction: Transaction, moves: Posting["campaigns"]): Promise<void> {
  await lockAndAdd(transaction, moves, {
    kind: "campaign",
    table: Prisma.sql`campaigns`,
    identity: Prisma.sql`id, advertiser_id`,
    read: Prisma.sql`id`,
    add: ADD_MONEY,
  });
}

/** Adds to the creatives' counts. Throws RecordRefused when one is unknown, or of another campaign. */
export async function moveCreatives(transaction: Transaction, moves: Posting["creatives"]): Promise<void> {
  await lockAndAdd(transaction, moves, {
    kind: "creative",
    table: Prisma.sql`creatives`,
    identity: Prisma.sql`id, campaign_id`,
    read: Prisma.sql`id`,
    add: Prisma.sql`impressions = known.impressions + m.impressions`,
  });
}

/**
 * Locks the rows that moves name, adds to their totals and returns what was read of them. Throws RecordRefused when there is
 * no row with the identity (id and owner) that a move names.
 */
async function lockAndAdd<Row extends { id: string }>(
  transaction: Transaction,
  moves: { id: string }[],
  rows: { kind: string; table: Prisma.Sql; identity: Prisma.Sql; read: Prisma.Sql; add: Prisma.Sql },
): Promise<Row[]> {
  const moved = Prisma.sql`jsonb_to_recordset(${JSON.stringify(moves)}::jsonb) AS m(id text, advertiser_id text,
    campaign_id text, spent_millicents bigint, impressions bigint)`;
  const locked = await transaction.$queryRaw<Row[]>`
    SELECT ${rows.read} FROM ${rows.table} WHERE (${rows.identity}) IN (SELECT ${rows.identity} FROM ${moved})
    ORDER BY id FOR NO KEY UPDATE`;
  requireAll(rows.kind, moves, locked);
  await transaction.$executeRaw`UPDATE ${rows.table} AS known SET ${rows.add} FROM ${moved} WHERE known.id = m.id`;
  return locked;
}

/** Adds to the affinities' counts. One that is unknown, deleted or of another campaign is passed over. */
export async function moveAffinities(transaction: Transaction, moves: Posting["affinities"]): Promise<void> {
  if (moves.length === 0) return;
  // The campaigns are locked by now, so nobody else moves these rows and the order does not matter.
  await transaction.$executeRaw`
    UPDATE affinities a
    SET impressions = a.impressions + m.impressions, contribution_sum = a.contribution_sum + m.contribution_sum
    FROM jsonb_to_recordset(${JSON.stringify(moves)}::jsonb) AS m(id text, campaign_id text, impressions bigint,
      contribution_sum numeric)
    WHERE a.id = m.id AND a.campaign_id = m.campaign_id`;
}

export async function moveCampaignVersions(
  transaction: Transaction,
  moves: Posting["campaignVersions"],
): Promise<void> {
  await transaction.$executeRaw`
    INSERT INTO campaign_version_rollups AS known (campaign_id, campaign_version, impressions)
    SELECT campaign_id, campaign_version, impressions
    FROM jsonb_to_recordset(${JSON.stringify(moves)}::jsonb) AS m(campaign_id text, campaign_version int,
      impressions bigint)
    ORDER BY campaign_id, campaign_version
    ON CONFLICT (campaign_id, campaign_version) DO UPDATE SET impressions = known.impressions + excluded.impressions`;
}

function requireAll(kind: string, moves: { id: string }[], found: { id: string }[]): void {
  const known = new Set(found.map(({ id }) => id));
  // A second move of the same row names another owner, which the look-up above does not find.
  const missing = moves.find(({ id }) => !known.has(id));
  if (missing !== undefined)
    throw new RecordRefused(`${kind} ${missing.id} is unknown, or belongs elsewhere`);
  if (known.size !== moves.length) throw new RecordRefused(`one ${kind} is said to belong to two owners`);
}

export async function moveCampaignRollups(
  transaction: Transaction,
  moves: Posting["campaignRollups"],
): Promise<void> {
  await transaction.$executeRaw`
    INSERT INTO campaign_rollups AS known (campaign_id, day, creative_id, country_code, game_id, impressions,
      spent_millicents, affinity_score_sum)
    SELECT campaign_id, day, creative_id, country_code, game_id, impressions, spent_millicents, affinity_score_sum
    FROM jsonb_to_recordset(${JSON.stringify(moves)}::jsonb) AS m(campaign_id text, day date, creative_id text,
      country_code text, game_id text, impressions bigint, spent_millicents bigint, affinity_score_sum numeric)
    ORDER BY campaign_id, day, creative_id, country_code, game_id
    ON CONFLICT (campaign_id, day, creative_id, country_code, game_id) DO UPDATE
    SET impressions = known.impressions + excluded.impressions,
      spent_millicents = known.spent_millicents + excluded.spent_millicents,
      affinity_score_sum = known.affinity_score_sum + excluded.affinity_score_sum`;
}

export async function moveGameRollups(
  transaction: Transaction,
  moves: Posting["gameRollups"],
): Promise<void> {
  await transaction.$executeRaw`
    INSERT INTO game_rollups AS known (game_id, day, advertiser_id, account_id, impressions, earning_microcents)
    SELECT game_id, day, advertiser_id, account_id, impressions, earning_microcents
    FROM jsonb_to_recordset(${JSON.stringify(moves)}::jsonb) AS m(game_id text, day date, advertiser_id text,
      account_id text, impressions bigint, earning_microcents bigint)
    ORDER BY game_id, day, advertiser_id, account_id
    ON CONFLICT (game_id, day, advertiser_id, account_id) DO UPDATE
    SET impressions = known.impressions + excluded.impressions,
      earning_microcents = known.earning_microcents + excluded.earning_microcents`;
}

/** Remembers who was reached, and counts those who were not known: exact, because only inserted rows count. */
export async function addUniqueUsers(transaction: Transaction, users: Posting["uniqueUsers"]): Promise<void> {
  await transaction.$executeRaw`
    WITH added AS (
      INSERT INTO unique_users (campaign_id, dimension, dimension_key, user_hash)
      SELECT campaign_id, dimension, dimension_key, user_hash
      FROM jsonb_to_recordset(${JSON.stringify(users)}::jsonb) AS u(campaign_id text,
        dimension unique_user_dimension, dimension_key text, user_hash text)
      ORDER BY campaign_id, dimension, dimension_key, user_hash
      ON CONFLICT DO NOTHING
      RETURNING campaign_id, dimension, dimension_key
    )
    INSERT INTO unique_user_counts AS known (campaign_id, dimension, dimension_key, users)
    SELECT campaign_id, dimension, dimension_key, count(*) FROM added
    GROUP BY campaign_id, dimension, dimension_key ORDER BY campaign_id, dimension, dimension_key
    ON CONFLICT (campaign_id, dimension, dimension_key) DO UPDATE SET users = known.users + excluded.users`;
}

/** Writes charge, earning and fee of each line; the three sum to zero (semantics: Money, "Unit"). */
export async function writeLedger(
  transaction: Transaction,
  postingId: string,
  lines: Posting["ledger"],
): Promise<void> {
  await transaction.$executeRaw`
    INSERT INTO ledger_entries (posting_id, kind, day, account_id, advertiser_id, campaign_id, game_id, impressions,
      amount_microcents)
    SELECT ${postingId}, entry.kind::ledger_kind, l.day, entry.account_id, l.advertiser_id, l.campaign_id, l.game_id,
      l.impressions, entry.amount_microcents
    FROM jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) AS l(day date, advertiser_id text, campaign_id text,
      game_id text, developer_account_id text, impressions int, charge_microcents bigint, earning_microcents bigint)
    JOIN advertisers a ON a.id = l.advertiser_id
    CROSS JOIN LATERAL (VALUES
      ('charge', a.account_id, -l.charge_microcents),
      ('earning', l.developer_account_id, l.earning_microcents),
      ('fee', NULL, l.charge_microcents - l.earning_microcents)
    ) AS entry(kind, account_id, amount_microcents)`;
}
