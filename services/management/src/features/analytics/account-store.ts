import type { PacingFacts } from "@diegetic/ad-rules";
import type { CampaignStatus } from "@diegetic/contracts";
import { Prisma, safeInteger } from "@diegetic/database";
import type { Millicents } from "@diegetic/money";
import { type CallerReads, type CallerRow, callerIs } from "../../core/read-your-writes/caller-reads.ts";
import type { PacingRow } from "./statements.ts";
import { pacingFactsOf } from "./store.ts";

export interface Spent {
  impressions: number;
  spentMillicents: Millicents;
}

/** Spending of all campaigns of an advertiser, read at one moment. */
export interface AccountSpending extends Spent {
  /** By day (YYYY-MM-DD), from the requested day on; without days that have no impressions. */
  days: Map<string, Spent>;
}

interface AccountRow extends CallerRow {
  total_spent_millicents: bigint;
  total_impressions: bigint;
  /** Null: nothing was spent. */
  day: string | null;
  impressions: bigint;
  spent_millicents: bigint;
}

/** @param since YYYY-MM-DD. Throws 403 before registration. */
export async function readAccountSpending(
  reads: CallerReads,
  accountId: string,
  since: string,
): Promise<AccountSpending> {
  const rows = await reads.rows<AccountRow>(
    accountId,
    Prisma.sql`
    WITH ${callerIs(accountId)}, days AS (
      SELECT to_char(rollups.day, 'YYYY-MM-DD') AS day, sum(rollups.impressions)::bigint AS impressions,
        sum(rollups.spent_millicents)::bigint AS spent_millicents
      FROM campaigns JOIN campaign_rollups AS rollups ON rollups.campaign_id = campaigns.id
      WHERE campaigns.advertiser_id = (SELECT id FROM caller) AND rollups.day >= ${since}::date
      GROUP BY rollups.day
    )
    SELECT caller.id AS caller_id, caller.written, caller.spent_millicents AS total_spent_millicents,
      caller.impressions AS total_impressions, days.*
    FROM caller LEFT JOIN days ON true`,
  );
  const [total] = rows;
  return {
    impressions: safeInteger(total.total_impressions, "impressions"),
    spentMillicents: safeInteger(total.total_spent_millicents, "spent"),
    days: new Map(
      rows.flatMap(({ day, impressions, spent_millicents }) =>
        day === null ? [] : [[day, spentOf(impressions, spent_millicents)] as const],
      ),
    ),
  };
}

function spentOf(impressions: bigint | string, spentMillicents: bigint | string): Spent {
  return {
    impressions: safeInteger(BigInt(impressions), "impressions"),
    spentMillicents: safeInteger(BigInt(spentMillicents), "spent"),
  };
}

export interface CampaignWithDays {
  id: string;
  name: string;
  status: CampaignStatus;
  impressions: number;
  creatives: number;
  budgetCents: number;
  cpmBidCents: number;
  dailyCapCents: number | null;
  pacing: PacingFacts;
  /** As in AccountSpending. */
  days: Map<string, Spent>;
}

interface CampaignRow extends CallerRow, PacingRow {
  /** Null: there are no campaigns. */
  id: string | null;
  name: string;
  status: CampaignStatus;
  impressions: bigint;
  creatives: bigint;
  /** Day, impressions, millicents. */
  days: [string, string, string][] | null;
}

/**
 * Campaigns of the caller, newest first, with their days from `since` (YYYY-MM-DD) on. Throws 403 before registration.
 * @param page the campaign to start after, and the number of campaigns
 */
export async function readCampaignsWithDays(
  reads: CallerReads,
  accountId: string,
  { since, today }: { since: string; today: string },
  page: { after: string | undefined; limit: number },
): Promise<CampaignWithDays[]> {
  const rows = await reads.rows<CampaignRow>(
    accountId,
    Prisma.sql`
    WITH ${callerIs(accountId)}, page AS (
      SELECT id, name, status::text AS status, budget_cents, spent_millicents, impressions, cpm_bid_cents,
        daily_cap_cents, start_date, end_date, first_activated_at
      FROM campaigns
      WHERE advertiser_id = (SELECT id FROM caller) AND (${page.after ?? null}::text IS NULL OR id < ${page.after ?? null}::text)
      ORDER BY id DESC LIMIT ${page.limit}
    )
    SELECT caller.id AS caller_id, caller.written,
      caller.deposited_millicents - caller.spent_millicents AS balance_millicents, page.*,
      (SELECT count(*) FROM creatives WHERE campaign_id = page.id AND deleted_at IS NULL) AS creatives,
      (SELECT json_agg(json_build_array(to_char(day, 'YYYY-MM-DD'), impressions::text, spent_millicents::text))
        FROM campaign_rollups WHERE campaign_id = page.id AND day >= ${since}::date) AS days
    FROM caller LEFT JOIN page ON true
    ORDER BY page.id DESC`,
  );
  return rows.flatMap((row) => (row.id === null ? [] : campaignWithDays({ ...row, id: row.id }, today)));
}

function campaignWithDays(row: CampaignRow & { id: string }, today: string): CampaignWithDays {
  const days = new Map(
    (row.days ?? []).map(([day, impressions, spent]) => [day, spentOf(impressions, spent)]),
  );
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    impressions: safeInteger(row.impressions, "impressions"),
    creatives: safeInteger(row.creatives, "creatives"),
    budgetCents: row.budget_cents,
    cpmBidCents: row.cpm_bid_cents,
    dailyCapCents: row.daily_cap_cents,
    pacing: pacingFactsOf(row, days.get(today)?.spentMillicents ?? 0),
    days,
  };
}
