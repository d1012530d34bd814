import type { SPEND_DIMENSIONS } from "@diegetic/contracts";
import { type Database, Prisma, safeInteger } from "@diegetic/database";
import { callingAdvertiser } from "../../core/read-your-writes/caller.ts";
import { type CallerRow, callerIs } from "../../core/read-your-writes/caller-reads.ts";
import type { Window } from "../../core/shared/paging.ts";
import type { Parts } from "../parts.ts";
import type { Spent } from "./account-store.ts";

export type SpendDimension = (typeof SPEND_DIMENSIONS)[number];

export interface SpendQuery {
  /** YYYY-MM-DD */
  from: string;
  to: string;
  groupBy: readonly SpendDimension[];
  /** Null: all, like the two that follow. */
  campaignId: string | null;
  creativeId: string | null;
  /** Upper case; empty: unknown country. */
  countryCode: string | null;
}

/** Dimensions that are not grouped by are null. */
export interface SpendGroup extends Spent {
  day: string | null;
  campaignId: string | null;
  campaignName: string | null;
  creativeId: string | null;
  brandName: string | null;
  /** Empty: unknown country. */
  countryCode: string | null;
}

export interface Spend extends Spent {
  rows: SpendGroup[];
  hasMore: boolean;
}

interface SpendRow extends CallerRow, Omit<SpendGroup, keyof Spent> {
  total_impressions: bigint;
  total_spent: bigint;
  /** Null: there are no rows. */
  impressions: bigint | null;
  spent: bigint;
}

/**
 * Sums of the caller's impressions. Groupings by day and campaign are read from the rollups. No rollup combines other
 * dimensions (ADR 14), so those are read from the days' partitions, of all advertisers: over connections of their own, so
 * that such reports keep no other request waiting. Throws 403 before registration, 429 for many reports at once.
 */
export async function readSpend(
  parts: ReportParts & Pick<Parts, "reads">,
  accountId: string,
  query: SpendQuery,
  { limit, offset }: Window,
): Promise<Spend> {
  const statement = Prisma.sql`
    WITH ${callerIs(accountId)}, found AS (${isInRollups(query) ? fromRollups(query) : fromImpressions(query)}), total AS (
      SELECT COALESCE(sum(impressions), 0)::bigint AS total_impressions, COALESCE(sum(spent), 0)::bigint AS total_spent
      FROM found
    ), page AS (
      SELECT * FROM found ORDER BY day DESC, campaign_id, creative_id, country_code
      LIMIT ${limit + 1} OFFSET ${offset}
    )
    SELECT caller.id AS caller_id, caller.written, total.*, page.impressions, page.spent, page.day,
      page.campaign_id AS "campaignId", campaigns.name AS "campaignName", page.creative_id AS "creativeId",
      creatives.brand_name AS "brandName", page.country_code AS "countryCode"
    FROM caller CROSS JOIN total LEFT JOIN page ON true
    LEFT JOIN campaigns ON campaigns.id = page.campaign_id
    LEFT JOIN creatives ON creatives.id = page.creative_id
    ORDER BY page.day DESC, page.campaign_id, page.creative_id, page.country_code`;
  const rows = isInRollups(query)
    ? await parts.reads.rows<SpendRow>(accountId, statement)
    : await reportRows(parts, accountId, statement);
  const groups = rows.flatMap(({ impressions, spent, ...row }): SpendGroup[] => {
    if (impressions === null) return [];
    const spentMillicents = safeInteger(spent, "spent");
    return [{ ...row, impressions: safeInteger(impressions, "impressions"), spentMillicents }];
  });
  return {
    impressions: safeInteger(rows[0]?.total_impressions ?? 0n, "impressions"),
    spentMillicents: safeInteger(rows[0]?.total_spent ?? 0n, "spent"),
    rows: groups.slice(0, limit),
    hasMore: groups.length > limit,
  };
}

type ReportParts = Pick<Parts, "database" | "barrier" | "reports" | "reportQueue">;

/** Waits before it reads: `CallerReads` would run a statement of seconds again for what is billed meanwhile. */
async function reportRows(
  { database, barrier, reports, reportQueue }: ReportParts,
  accountId: string,
  statement: Prisma.Sql,
): Promise<SpendRow[]> {
  const { id } = await callingAdvertiser(database, accountId);
  await barrier.awaitAdvertiser(id);
  return reportQueue.run(accountId, () => reports.query<SpendRow>(statement));
}

/** The last day of the query's period whose impressions were dropped, `YYYY-MM-DD`, if the query needs them. */
export async function lastDroppedDay(database: Database, query: SpendQuery): Promise<string | undefined> {
  if (isInRollups(query)) return undefined;
  const [row] = await database.$queryRaw<{ day: string | null }[]>`
    SELECT max(day)::text AS day FROM dropped_impression_days
    WHERE day BETWEEN ${query.from}::date AND ${query.to}::date`;
  return row?.day ?? undefined;
}

function isInRollups({ groupBy, creativeId, countryCode }: SpendQuery): boolean {
  const areRolledUp = groupBy.every((dimension) => dimension === "day" || dimension === "campaign");
  return areRolledUp && creativeId === null && countryCode === null;
}

function fromRollups({ groupBy, from, to, campaignId }: SpendQuery): Prisma.Sql {
  return Prisma.sql`
      SELECT CASE WHEN ${groupBy.includes("day")} THEN to_char(r.day, 'YYYY-MM-DD') END AS day,
        CASE WHEN ${groupBy.includes("campaign")} THEN r.campaign_id END AS campaign_id,
        NULL::text AS creative_id, NULL::text AS country_code,
        sum(r.impressions)::bigint AS impressions, sum(r.spent_millicents)::bigint AS spent
      FROM campaign_rollups r JOIN campaigns c ON c.id = r.campaign_id
      WHERE r.day BETWEEN ${from}::date AND ${to}::date
        AND c.advertiser_id = (SELECT id FROM caller) AND r.impressions > 0
        AND (${campaignId}::text IS NULL OR r.campaign_id = ${campaignId}::text)
      GROUP BY 1, 2`;
}

function fromImpressions(query: SpendQuery): Prisma.Sql {
  const { from, to, campaignId, creativeId, countryCode } = query;
  const by = (dimension: SpendDimension) => query.groupBy.includes(dimension);
  return Prisma.sql`
      SELECT CASE WHEN ${by("day")} THEN to_char(i.day, 'YYYY-MM-DD') END AS day,
        CASE WHEN ${by("campaign")} THEN i.campaign_id END AS campaign_id,
        CASE WHEN ${by("creative")} THEN i.creative_id END AS creative_id,
        CASE WHEN ${by("country")} THEN COALESCE(i.country_code, '') END AS country_code,
        count(*) AS impressions, sum(i.price_millicents)::bigint AS spent
      FROM impressions i
      WHERE i.day BETWEEN ${from}::date AND ${to}::date
        AND i.advertiser_id = (SELECT id FROM caller)
        AND (${campaignId}::text IS NULL OR i.campaign_id = ${campaignId}::text)
        AND (${creativeId}::text IS NULL OR i.creative_id = ${creativeId}::text)
        AND (${countryCode}::text IS NULL OR COALESCE(i.country_code, '') = ${countryCode}::text)
      GROUP BY 1, 2, 3, 4`;
}
