import { DAY_MS, type Database, dateOfDay, Prisma, utcDay } from "@diegetic/database";
import { pageAfter, pagesOf } from "../loops/pages.ts";
import { countImpressions, readPartitions } from "../retention/partition-days.ts";
import { compareInPostgres, DROPPED_DAYS, dayOrDropped } from "./balances.ts";
import {
  type Check,
  equal,
  type Inspection,
  idsOf,
  inspectionOf,
  moneyCheck,
  type PairsOf,
  pageInspection,
  readingOf,
} from "./comparison.ts";

const RECENT_DAYS = 35;
/** Larger days are left to `npm run audit`: reading them would slow down writes. */
const MAX_DAY_ROWS = 2_000_000;
const CAMPAIGNS_PER_PAGE = 200;

/** What impressions of one kind add up to, and what is stored of them: rows of one part of a campaign each. */
interface Members {
  /** Stored with the campaign's parts; yields `campaign_id, member` and sums. */
  sums: Prisma.Sql;
  /** From the impressions, kept and dropped; yields `campaign_id, member` and `columns`. */
  written: Prisma.Sql;
  columns: readonly string[];
  /** Each query is `expected, found` of one member. */
  checks: readonly Check<Prisma.Sql>[];
  /** Subject that stands for the differences beyond the listed ones. */
  unlisted?: string;
}

const DAY_CHECKS: readonly Check<Prisma.Sql>[] = [
  moneyCheck(
    "day_impressions",
    "Impressions of a day: rows = rollups",
    Prisma.sql`rows::numeric, impressions::numeric`,
  ),
  moneyCheck(
    "day_charges",
    "Charges of a day, millicents: rows = rollups",
    Prisma.sql`charges, spent_millicents`,
  ),
  moneyCheck(
    "day_affinity_scores",
    "Affinity scores of a day, millionths: rows = rollups",
    Prisma.sql`trunc(scores * 1000000), trunc(affinity_score_sum * 1000000)`,
  ),
];
const DAY_COLUMNS = ["rows", "charges", "scores"];

/** `expected, found` of one member. */
const IMPRESSIONS = Prisma.sql`impressions::numeric, rows::numeric`;
const CHARGES = Prisma.sql`spent_millicents, charges`;

const MEMBERS: readonly Members[] = [
  {
    sums: Prisma.sql`
      SELECT campaign_id, id AS member, impressions, spent_millicents, affinity_score_sum FROM creatives`,
    written: Prisma.sql`
      SELECT campaign_id, creative_id AS member, count(*) AS rows, sum(price_millicents) AS charges,
        sum(affinity_score) AS scores
      FROM impressions GROUP BY 1, 2
      UNION ALL SELECT campaign_id, member, impressions, spent_millicents, affinity_score_sum
      FROM dropped_impression_sums WHERE dimension = 'creative'`,
    columns: ["rows", "charges", "scores"],
    checks: [
      moneyCheck("row_creative_impressions", "Impressions: rows = each creative", IMPRESSIONS),
      moneyCheck("row_creative_spent", "Spent, millicents: rows = each creative", CHARGES),
      moneyCheck(
        "row_creative_scores",
        "Affinity scores, millionths: rows = each creative",
        Prisma.sql`trunc(affinity_score_sum * 1000000), trunc(scores * 1000000)`,
      ),
    ],
  },
  {
    sums: Prisma.sql`
      SELECT campaign_id, country_code AS member, impressions, spent_millicents FROM campaign_countries`,
    written: Prisma.sql`
      SELECT campaign_id, COALESCE(country_code, '') AS member, count(*) AS rows, sum(price_millicents) AS charges
      FROM impressions GROUP BY 1, 2
      UNION ALL SELECT campaign_id, member, impressions, spent_millicents
      FROM dropped_impression_sums WHERE dimension = 'country'`,
    columns: ["rows", "charges"],
    checks: [
      moneyCheck("row_country_impressions", "Impressions: rows = each country of a campaign", IMPRESSIONS),
      moneyCheck("row_country_spent", "Spent, millicents: rows = each country of a campaign", CHARGES),
    ],
  },
  {
    sums: Prisma.sql`
      SELECT campaign_id, account_id || ' ' || game_id AS member, impressions, earning_microcents
      FROM campaign_games`,
    written: Prisma.sql`
      SELECT campaign_id, developer_account_id || ' ' || game_id AS member, count(*) AS rows,
        sum(earning_microcents) AS earnings
      FROM impressions GROUP BY campaign_id, developer_account_id, game_id
      UNION ALL SELECT campaign_id, account_id || ' ' || member, impressions, earning_microcents
      FROM dropped_impression_sums WHERE dimension = 'game'`,
    columns: ["rows", "earnings"],
    checks: [
      moneyCheck("row_campaign_game_impressions", "Impressions: rows = each game of a campaign", IMPRESSIONS),
      moneyCheck(
        "row_campaign_game_earnings",
        "Earnings, microcents: rows = each game of a campaign",
        Prisma.sql`earning_microcents, earnings`,
      ),
    ],
  },
  {
    sums: Prisma.sql`
      SELECT campaign_id, campaign_version::text AS member, impressions FROM campaign_version_rollups`,
    written: Prisma.sql`
      SELECT campaign_id, campaign_version::text AS member, count(*) AS rows
      FROM impressions GROUP BY campaign_id, campaign_version
      UNION ALL SELECT campaign_id, member, impressions FROM dropped_impression_sums WHERE dimension = 'version'`,
    columns: ["rows"],
    checks: [
      moneyCheck("row_version_impressions", "Impressions: rows = each version of a campaign", IMPRESSIONS),
    ],
  },
  {
    sums: Prisma.sql`
      SELECT campaign_id, ${dayOrDropped(Prisma.sql`day`)} AS member, sum(impressions) AS impressions,
        sum(spent_millicents) AS spent_millicents, sum(affinity_score_sum) AS affinity_score_sum
      FROM campaign_rollups GROUP BY 1, 2`,
    written: Prisma.sql`
      SELECT campaign_id, ${dayOrDropped(Prisma.sql`day`)} AS member, count(*) AS rows,
        sum(price_millicents) AS charges, sum(affinity_score) AS scores
      FROM impressions GROUP BY 1, 2
      UNION ALL SELECT campaign_id, ${DROPPED_DAYS}, impressions, spent_millicents, affinity_score_sum
      FROM dropped_impression_sums WHERE dimension = 'creative'`,
    columns: DAY_COLUMNS,
    checks: DAY_CHECKS,
  },
];

/**
 * Compares the stored sums of each creative, country, game, version and day of a campaign with the impressions: totals
 * per campaign do not show that two parts were mixed up. Reads all impressions once for each kind, without an index,
 * because an index would slow down every write. Skips a campaign whose total count differs: `row_impressions` and
 * `day_impressions` report it.
 * @param maxRows compares nothing when there are more rows
 * @param exceptDays those of `dayInspections`: a second count of the same differences would be wrong
 */
export async function* memberInspections(
  database: Database,
  timeoutMs: number,
  { maxRows, exceptDays }: { maxRows: number; exceptDays: string[] },
): AsyncGenerator<Inspection> {
  if ((await countImpressions(database)) > maxRows) return;
  const isComplete = Prisma.sql`campaign_id IN (
    SELECT id FROM campaigns JOIN (SELECT campaign_id AS id, sum(rows) AS rows FROM written GROUP BY 1) AS of_rows
      USING (id) WHERE of_rows.rows = campaigns.impressions)`;
  for (const members of MEMBERS) {
    const condition =
      members.checks === DAY_CHECKS
        ? Prisma.sql`${isComplete} AND member <> ALL(${exceptDays}::text[])`
        : isComplete;
    yield inspectionOf(nameOfAll(members), () => compareMembers(database, timeoutMs, members, condition));
  }
}

/** Recent days, the latest first. */
export function recentDays(nowMs: number): string[] {
  return Array.from({ length: RECENT_DAYS }, (_, back) => utcDay(nowMs - back * DAY_MS));
}

/** Compares the rows of each day with the rollups, one day at a time, except of days that were dropped on purpose. */
export async function* dayInspections(
  database: Database,
  days: readonly string[],
  timeoutMs: number,
): AsyncGenerator<Inspection> {
  const rowsOfDay = new Map((await readPartitions(database)).map(({ day, rows }) => [day, rows]));
  for (const day of days) {
    if ((rowsOfDay.get(day) ?? 0) > MAX_DAY_ROWS) continue;
    // In the same statement: the day may be dropped at any moment.
    const isKept = Prisma.sql`NOT EXISTS (SELECT FROM dropped_impression_days WHERE day = ${dateOfDay(day)}::date)`;
    const members = membersOfDay(day);
    const name = `${nameOfAll(members)} ${day}`;
    yield inspectionOf(name, () => compareMembers(database, timeoutMs, members, isKept));
  }
}

/** The checks that one statement makes. */
function nameOfAll({ checks }: Members): string {
  return checks.map(({ name }) => name).join(" ");
}

function membersOfDay(day: string): Members {
  const date = Prisma.sql`${dateOfDay(day)}::date`;
  return {
    sums: Prisma.sql`
      SELECT id AS campaign_id, ${day} AS member, r.impressions, r.spent_millicents, r.affinity_score_sum
      FROM campaigns CROSS JOIN LATERAL (
        SELECT * FROM campaign_rollups WHERE campaign_id = campaigns.id AND day = ${date}) AS r`,
    written: Prisma.sql`
      SELECT campaign_id, ${day} AS member, count(*) AS rows, sum(price_millicents) AS charges,
        sum(affinity_score) AS scores
      FROM impressions WHERE day = ${date} GROUP BY 1`,
    columns: DAY_COLUMNS,
    checks: DAY_CHECKS,
    unlisted: `not listed ${day}`,
  };
}

function compareMembers(
  database: Database,
  timeoutMs: number,
  { sums, written, columns, checks, unlisted }: Members,
  condition: Prisma.Sql,
) {
  const columnSums = Prisma.raw(columns.map((column) => `sum(${column}) AS ${column}`).join(", "));
  const pairs = Prisma.join(checks.map(({ name, query }) => Prisma.sql`(${name}, ${query})`));
  return compareInPostgres(
    database,
    timeoutMs,
    checks,
    Prisma.sql`
      WITH sums AS (${sums}), parts AS (${written}), written AS (
        SELECT campaign_id, member, ${columnSums} FROM parts GROUP BY 1, 2
      )
      SELECT pair.name, campaign_id || ' ' || member AS subject, pair.expected, pair.found
      FROM sums FULL JOIN written USING (campaign_id, member)
      CROSS JOIN LATERAL (VALUES ${pairs}) AS pair(name, expected, found)
      WHERE ${condition}`,
    unlisted,
  );
}

/** The players of a campaign. */
interface UniqueUsers {
  /** The campaign. */
  id: string;
  reachedUsers: bigint;
  countedUsers: bigint;
  /** Members whose count is wrong. */
  differingUsers: bigint;
}

const PLAYER_CHECKS: readonly Check<PairsOf<UniqueUsers>>[] = [
  moneyCheck("unique_users", "Unique players: rows = counts", (c) => [
    equal(c.id, c.reachedUsers, c.countedUsers),
    equal(`${c.id} by member`, 0, c.differingUsers),
  ]),
];

/** Compares the counted players of every campaign with the remembered ones, page by page. */
export async function* playerInspections(database: Database): AsyncGenerator<Inspection> {
  const read = (after: string) =>
    database.campaign.findMany({ ...pageAfter(after, CAMPAIGNS_PER_PAGE), select: { id: true } });
  for await (const page of pagesOf(read)) {
    yield pageInspection(idsOf(page), async (ids) =>
      readingOf(PLAYER_CHECKS, await readUsers(database, ids)),
    );
  }
}

/**
 * Per campaign with players: remembered and counted ones, summed over all parts, and how many parts differ. Each count reads
 * rows in key order or by hash; a single count of distinct players would sort all rows.
 */
function readUsers(database: Database, ids: readonly string[]): Promise<UniqueUsers[]> {
  const campaignIds = [...ids];
  return database.$queryRaw<UniqueUsers[]>`
    WITH known AS (
      SELECT campaign_id, 'total' AS dimension, '' AS key, count(*) AS users
      FROM (SELECT DISTINCT campaign_id, user_hash FROM reached_users WHERE campaign_id = ANY(${campaignIds})) AS reached
      GROUP BY campaign_id
      UNION ALL
      SELECT campaign_id, 'day', day::text, count(*)
      FROM (SELECT DISTINCT campaign_id, user_hash, day FROM reached_users
        WHERE campaign_id = ANY(${campaignIds})) AS reached
      GROUP BY campaign_id, day
      UNION ALL
      SELECT campaign_id, 'creative', creative_id, count(*)
      FROM (SELECT DISTINCT campaign_id, user_hash, creative_id FROM reached_users
        WHERE campaign_id = ANY(${campaignIds})) AS reached
      GROUP BY campaign_id, creative_id
      UNION ALL
      SELECT campaign_id, 'country', country_code, count(*)
      FROM (SELECT DISTINCT campaign_id, user_hash, country_code FROM reached_users
        WHERE campaign_id = ANY(${campaignIds})) AS reached
      GROUP BY campaign_id, country_code
    ), counts AS (
      SELECT id AS campaign_id, 'total' AS dimension, '' AS key, unique_users AS users FROM campaigns
      WHERE id = ANY(${campaignIds}) AND unique_users > 0
      UNION ALL
      SELECT campaign_id, 'day', day::text, users FROM campaign_rollups WHERE campaign_id = ANY(${campaignIds})
      UNION ALL
      SELECT campaign_id, 'creative', id, unique_users FROM creatives
      WHERE campaign_id = ANY(${campaignIds}) AND impressions > 0
      UNION ALL
      SELECT campaign_id, 'country', country_code, users FROM campaign_countries
      WHERE campaign_id = ANY(${campaignIds})
    )
    SELECT campaign_id AS id, COALESCE(sum(known.users), 0)::bigint AS "reachedUsers",
      COALESCE(sum(counts.users), 0)::bigint AS "countedUsers",
      count(*) FILTER (WHERE known.users IS DISTINCT FROM counts.users) AS "differingUsers"
    FROM known FULL JOIN counts USING (campaign_id, dimension, key) GROUP BY campaign_id`;
}
