import { DAY_MS, type Database, Prisma, utcDay } from "@diegetic/database";
import { countImpressions } from "../retention/partition-days.ts";
import { OPERATION_MS } from "../write/operations.ts";
import { QUARANTINED } from "./advertisers.ts";
import { compareInPostgres, DROPPED_DAYS, dayOrDropped, namedPairs } from "./balances.ts";
import { type Check, type Inspection, inspectionOf, lateCheck, moneyCheck } from "./comparison.ts";

const MAX_KEPT_MS = 2 * DAY_MS;

/** What impressions add up to: an aggregate of their rows, and the column in which sums of it are kept, also of dropped ones. */
interface Amount {
  ofRows: Prisma.Sql;
  kept: Prisma.Sql;
}

const IMPRESSIONS: Amount = { ofRows: Prisma.sql`count(*)`, kept: Prisma.sql`impressions` };
const CHARGES: Amount = { ofRows: Prisma.sql`sum(price_millicents)`, kept: Prisma.sql`spent_millicents` };
const EARNINGS: Amount = {
  ofRows: Prisma.sql`sum(earning_microcents)`,
  kept: Prisma.sql`earning_microcents`,
};
const AFFINITY_SCORES: Amount = {
  ofRows: Prisma.sql`sum(affinity_score)`,
  kept: Prisma.sql`affinity_score_sum`,
};

/** Each query reads all rows of a table, and yields `subject, expected, found`. */
const WHOLE_CHECKS: readonly Check<Prisma.Sql>[] = [
  moneyCheck("row_impressions", "Impressions: rows = campaigns' totals", eachCampaign(IMPRESSIONS)),
  moneyCheck("row_charges", "Charges, millicents: rows = campaigns' totals", eachCampaign(CHARGES)),
  moneyCheck("row_earnings", "Earnings, microcents: rows = games, per developer", eachDeveloper(EARNINGS)),
  moneyCheck("row_game_impressions", "Impressions: rows = games, per developer", eachDeveloper(IMPRESSIONS)),
  moneyCheck(
    "row_each_game_impressions",
    "Impressions: rows = each game's days, total and ledger, per developer",
    eachGame(IMPRESSIONS, Prisma.sql`impressions`),
  ),
  moneyCheck(
    "row_each_game_earnings",
    "Earnings, microcents: rows = each game's days, total and ledger, per developer",
    eachGame(EARNINGS, Prisma.sql`amount_microcents`),
  ),
  moneyCheck(
    "row_game_advertiser_impressions",
    "Impressions: rows = each advertiser's days in a game, per developer",
    eachGameAdvertiser(IMPRESSIONS),
  ),
  moneyCheck(
    "row_game_advertiser_earnings",
    "Earnings, microcents: rows = each advertiser's days in a game, per developer",
    eachGameAdvertiser(EARNINGS),
  ),
  moneyCheck(
    "row_affinity_scores",
    "Affinity scores, millionths: rows = rollups, per campaign",
    Prisma.sql`
      SELECT campaign_id AS subject, expected, trunc(found * 1000000) AS found FROM
        (SELECT campaign_id, trunc(sum(affinity_score_sum) * 1000000) AS expected
          FROM campaign_rollups GROUP BY campaign_id) c
        FULL JOIN ${foundByCampaign(AFFINITY_SCORES)} r
          USING (campaign_id)`,
  ),
  moneyCheck(
    "row_affinities",
    "Impressions that affinities contributed to: rows = counts",
    Prisma.sql`
      SELECT a.id AS subject, a.impressions::numeric AS expected, r.found
      FROM affinities a LEFT JOIN (
        SELECT campaign_id, id, sum(found) AS found FROM (
          SELECT i.campaign_id, part ->> 'affinity_id' AS id, count(DISTINCT i.impression_id)::numeric AS found
          FROM impressions i CROSS JOIN LATERAL jsonb_array_elements(i.affinities) AS part
          WHERE (part ->> 'contribution')::numeric <> 0 GROUP BY i.campaign_id, part ->> 'affinity_id'
          UNION ALL SELECT campaign_id, member, impressions FROM dropped_impression_sums
          WHERE dimension = 'affinity') AS parts GROUP BY 1, 2) r
        ON r.id = a.id AND r.campaign_id = a.campaign_id`,
  ),
  moneyCheck(
    "row_users",
    "Unique players: impressions = counts",
    Prisma.sql`
      SELECT campaign_id AS subject, expected, found FROM
        (SELECT id AS campaign_id, unique_users::numeric AS expected FROM campaigns) c
        FULL JOIN (SELECT campaign_id, count(DISTINCT user_hash)::numeric AS found FROM (
          SELECT campaign_id, user_hash FROM impressions
          UNION ALL SELECT campaign_id, user_hash FROM reached_users
          WHERE day IN (SELECT day FROM dropped_impression_days)) AS seen
          GROUP BY campaign_id) r USING (campaign_id)`,
  ),
  moneyCheck(
    "impression_once",
    "Impressions that occur more than once",
    Prisma.sql`
      SELECT 'all' AS subject, 0::numeric AS expected,
        (count(*) - count(DISTINCT impression_id))::numeric AS found FROM impressions`,
  ),
  moneyCheck(
    "match_once",
    "Matches that were billed more than once",
    Prisma.sql`
      SELECT 'all' AS subject, 0::numeric AS expected,
        (count(*) - count(DISTINCT match_id))::numeric AS found FROM impressions`,
  ),
  // A key may be reused after its lifetime. Comparing neighbours is enough: if any two impressions are too close, two
  // neighbours are.
  moneyCheck(
    "operation_once",
    "Impressions of an operation that was billed within a day before",
    Prisma.sql`
      SELECT 'all' AS subject, 0::numeric AS expected, count(*)::numeric AS found FROM (
        SELECT impression_id, recorded_at, lag(impression_id) OVER by_time AS id_before,
          lag(recorded_at) OVER by_time AS recorded_before
        FROM impressions WHERE operation_id IS NOT NULL
        WINDOW by_time AS (PARTITION BY operation_id ORDER BY recorded_at, impression_id)) AS keyed
      WHERE impression_id <> id_before AND recorded_at - recorded_before < ${OPERATION_MS} * interval '1 millisecond'`,
  ),
  moneyCheck(
    "entry_groups",
    "Ledger entry groups that do not sum to zero",
    Prisma.sql`
      SELECT 'all' AS subject, 0::numeric AS expected, count(*)::numeric AS found FROM (
        SELECT entry_group_id FROM ledger_entries WHERE kind <> 'deposit' GROUP BY entry_group_id
        HAVING sum(amount_microcents) <> 0) AS unbalanced`,
  ),
  moneyCheck(
    "whole_impressions",
    "All impressions: rows, rollups, games, ledger, advertisers",
    Prisma.sql`
      SELECT other.subject, (SELECT sum(impressions) FROM advertisers) AS expected, other.found FROM (
        SELECT 'rows' AS subject, count(*)::numeric
          + (SELECT COALESCE(sum(impressions), 0) FROM dropped_impression_days) AS found FROM impressions
        UNION ALL SELECT 'campaigns', sum(impressions) FROM campaigns
        UNION ALL SELECT 'campaign rollups', sum(impressions) FROM campaign_rollups
        UNION ALL SELECT 'creatives', sum(impressions) FROM creatives
        UNION ALL SELECT 'countries', sum(impressions) FROM campaign_countries
        UNION ALL SELECT 'game rollups', sum(impressions) FROM game_rollups
        UNION ALL SELECT 'games by advertiser', sum(impressions) FROM game_advertiser_rollups
        UNION ALL SELECT 'game totals', sum(impressions) FROM game_totals
        UNION ALL SELECT 'games by campaign', sum(impressions) FROM campaign_games
        UNION ALL SELECT 'ledger', sum(impressions)::numeric FROM ledger_entries WHERE kind = 'charge') other`,
  ),
  moneyCheck(
    "whole_charges",
    "All charges, microcents: rows, rollups, ledger, advertisers",
    Prisma.sql`
      SELECT other.subject, (SELECT sum(spent_millicents) * 1000 FROM advertisers) AS expected, other.found FROM (
        SELECT 'rows' AS subject, (COALESCE(sum(price_millicents), 0)
          + (SELECT COALESCE(sum(spent_millicents), 0) FROM dropped_impression_days)) * 1000 AS found FROM impressions
        UNION ALL SELECT 'campaigns', sum(spent_millicents) * 1000 FROM campaigns
        UNION ALL SELECT 'campaign rollups', sum(spent_millicents) * 1000 FROM campaign_rollups
        UNION ALL SELECT 'creatives', sum(spent_millicents) * 1000 FROM creatives
        UNION ALL SELECT 'countries', sum(spent_millicents) * 1000 FROM campaign_countries
        UNION ALL SELECT 'ledger', -sum(amount_microcents) FROM ledger_entries WHERE kind = 'charge') other`,
  ),
  moneyCheck(
    "whole_earnings",
    "All earnings, microcents: rows, games, ledger",
    Prisma.sql`
      SELECT other.subject, (SELECT COALESCE(sum(earning_microcents), 0) FROM impressions)
        + (SELECT COALESCE(sum(earning_microcents), 0) FROM dropped_impression_days) AS expected, other.found FROM (
        SELECT 'game rollups' AS subject, sum(earning_microcents) AS found FROM game_rollups
        UNION ALL SELECT 'games by advertiser', sum(earning_microcents) FROM game_advertiser_rollups
        UNION ALL SELECT 'game totals', sum(earning_microcents) FROM game_totals
        UNION ALL SELECT 'games by campaign', sum(earning_microcents) FROM campaign_games
        UNION ALL SELECT 'ledger', sum(amount_microcents) FROM ledger_entries WHERE kind = 'earning') other`,
  ),
];

/**
 * Runs each check against one consistent read of the database, also during writes.
 * @param maxRows makes no check when there are more impressions, and none of the ledger when that has more entries
 */
export async function* wholeInspections(
  database: Database,
  timeoutMs: number,
  maxRows = Number.POSITIVE_INFINITY,
): AsyncGenerator<Inspection> {
  if ((await countImpressions(database)) > maxRows) return;
  const isLedgerTooLong = (await countEntries(database)) > maxRows;
  for (const check of WHOLE_CHECKS) {
    if (isLedgerTooLong && check.query.sql.includes("ledger_entries")) continue;
    yield inspectionOf(check.name, () => compareInPostgres(database, timeoutMs, [check], namedPairs(check)));
  }
}

/** Estimated number of ledger entries; 0 when not known yet. The ledger outlives dropped impressions. */
async function countEntries(database: Database): Promise<number> {
  const [row] = await database.$queryRaw<[{ entries: number }]>`
    SELECT greatest(0, reltuples)::float8 AS entries FROM pg_class WHERE oid = 'ledger_entries'::regclass`;
  return row.entries;
}

/** Each campaign's total. */
function eachCampaign(amount: Amount): Prisma.Sql {
  return Prisma.sql`
    SELECT COALESCE(c.id, r.campaign_id) AS subject, c.${amount.kept}::numeric AS expected, r.found
    FROM campaigns c FULL JOIN ${foundByCampaign(amount)} r ON r.campaign_id = c.id`;
}

/** The games of each developer together. */
function eachDeveloper({ ofRows, kept }: Amount): Prisma.Sql {
  return Prisma.sql`
    SELECT account_id AS subject, expected, found FROM
      (SELECT account_id, sum(${kept}) AS expected FROM game_rollups GROUP BY account_id) g
      FULL JOIN (SELECT account_id, sum(part) AS found FROM (
        SELECT developer_account_id AS account_id, (${ofRows})::numeric AS part FROM impressions GROUP BY 1
        UNION ALL SELECT account_id, ${kept} FROM dropped_impression_sums WHERE dimension = 'game') AS parts
      GROUP BY account_id) r USING (account_id)`;
}

/** Each game of each developer: its days, its totals, and its ledger entries. @param entered the column of these */
function eachGame({ ofRows, kept }: Amount, entered: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    WITH by_day AS (
      SELECT account_id, game_id, day, sum(found) AS found FROM (
        SELECT developer_account_id AS account_id, game_id, ${dayOrDropped(Prisma.sql`day`)} AS day,
          (${ofRows})::numeric AS found
        FROM impressions GROUP BY 1, 2, 3
        UNION ALL SELECT account_id, member, ${DROPPED_DAYS}, ${kept}
        FROM dropped_impression_sums WHERE dimension = 'game') AS parts
      GROUP BY 1, 2, 3
    ), by_game AS (
      SELECT account_id, game_id, sum(found) AS found FROM by_day GROUP BY 1, 2
    ), rollups AS (
      SELECT account_id, game_id, ${dayOrDropped(Prisma.sql`day`)} AS day, sum(${kept}) AS kept
      FROM game_rollups GROUP BY 1, 2, 3
    )
    SELECT concat_ws(' ', account_id, game_id, day) AS subject, kept AS expected, found
    FROM rollups FULL JOIN by_day USING (account_id, game_id, day)
    UNION ALL SELECT concat_ws(' ', account_id, game_id, 'in all'), ${kept}::numeric, found
    FROM game_totals FULL JOIN by_game USING (account_id, game_id)
    UNION ALL SELECT concat_ws(' ', account_id, game_id, 'ledger'), entered, found
    FROM (SELECT account_id, game_id, sum(${entered}) AS entered FROM ledger_entries WHERE kind = 'earning'
      GROUP BY 1, 2) AS entries FULL JOIN by_game USING (account_id, game_id)`;
}

/**
 * Each advertiser's days in a game of a developer. If dropped impressions have no advertiser, the dropped days of that
 * game are compared as a whole.
 */
function eachGameAdvertiser({ ofRows, kept }: Amount): Prisma.Sql {
  const known = Prisma.sql`CASE WHEN day = ${DROPPED_DAYS} AND (account_id, game_id) IN (
    SELECT account_id, game_id FROM game_advertiser_rollups WHERE advertiser_id = '') THEN 'anyone' ELSE advertiser_id END`;
  const sums = (parts: Prisma.Sql) => Prisma.sql`
    (SELECT account_id, game_id, day, ${known} AS advertiser, sum(part) AS part FROM (${parts}) AS parts
      GROUP BY 1, 2, 3, 4)`;
  return Prisma.sql`
    SELECT concat_ws(' ', account_id, game_id, day, advertiser) AS subject, rollups.part AS expected, rows.part AS found
    FROM ${sums(Prisma.sql`
      SELECT account_id, game_id, ${dayOrDropped(Prisma.sql`day`)} AS day, advertiser_id, ${kept} AS part
      FROM game_advertiser_rollups`)} AS rollups
    FULL JOIN ${sums(Prisma.sql`
      SELECT developer_account_id AS account_id, game_id, ${dayOrDropped(Prisma.sql`day`)} AS day, advertiser_id,
        (${ofRows})::numeric AS part
      FROM impressions GROUP BY 1, 2, 3, 4
      UNION ALL SELECT sums.account_id, sums.member, ${DROPPED_DAYS}, campaigns.advertiser_id, sums.${kept}
      FROM dropped_impression_sums AS sums JOIN campaigns ON campaigns.id = sums.campaign_id
      WHERE sums.dimension = 'game'`)} AS rows
    USING (account_id, game_id, day, advertiser)`;
}

/** Of each campaign, `found`: an aggregate of its impressions plus the same sum of those that were dropped. */
function foundByCampaign({ ofRows, kept }: Amount): Prisma.Sql {
  return Prisma.sql`(SELECT campaign_id, sum(part) AS found FROM (
      SELECT campaign_id, (${ofRows})::numeric AS part FROM impressions GROUP BY campaign_id
      UNION ALL SELECT campaign_id, ${kept} FROM dropped_impression_sums WHERE dimension = 'creative') AS parts
    GROUP BY campaign_id)`;
}

/** Checks maintenance: what must exist, or must have been deleted, whatever the balances. */
export function upkeepInspection(database: Database, nowMs: () => number, timeoutMs: number): Inspection {
  return inspectionOf("upkeep", () => {
    const checks = upkeepChecks(nowMs());
    const pairs = Prisma.join(checks.map(namedPairs), " UNION ALL ");
    return compareInPostgres(database, timeoutMs, checks, pairs);
  });
}

function upkeepChecks(nowMs: number): readonly Check<Prisma.Sql>[] {
  return [
    lateCheck(
      "partitions",
      "Partitions of today and tomorrow",
      Prisma.sql`
        SELECT day AS subject, 1 AS expected,
          (SELECT count(*) FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid
            WHERE inhparent = 'impressions'::regclass
              AND child.relname = 'impressions_' || replace(day, '-', '')) AS found
        FROM unnest(${[utcDay(nowMs), utcDay(nowMs + DAY_MS)]}::text[]) AS wanted(day)`,
    ),
    lateCheck(
      "stored_answers",
      "Idempotent answers stored for more than two days",
      Prisma.sql`
        SELECT 'all' AS subject, 0 AS expected, count(*) AS found FROM idempotency_keys
        WHERE created_at < ${new Date(nowMs - MAX_KEPT_MS)}`,
    ),
    {
      ...QUARANTINED,
      query: Prisma.sql`
        SELECT 'of no known advertiser' AS subject, 0 AS expected, count(*) AS found FROM quarantined_impressions p
        WHERE resolved_at IS NULL AND NOT EXISTS (SELECT FROM advertisers a WHERE a.id = p.advertiser_id)`,
    },
  ];
}
