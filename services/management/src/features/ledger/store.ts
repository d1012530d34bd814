import { Prisma, safeInteger } from "@diegetic/database";
import type { Millicents } from "@diegetic/money";
import { type CallerReads, type CallerRow, callerIs } from "../../core/read-your-writes/caller-reads.ts";
import type { DayMoves } from "./balances.ts";

export interface AccountLedger {
  advertiserId: string;
  /** UTC day (YYYY-MM-DD) on which the advertiser registered. */
  firstDay: string;
  depositedMillicents: Millicents;
  spentMillicents: Millicents;
  impressions: number;
  /** Moves from the requested day on, by day (YYYY-MM-DD). */
  moves: Map<string, DayMoves>;
}

interface LedgerDayRow extends CallerRow {
  first_day: string;
  deposited_millicents: bigint;
  spent_millicents: bigint;
  total_impressions: bigint;
  /** Null: nothing has moved. */
  day: string | null;
  deposits: bigint;
  charges: bigint;
  impressions: bigint;
}

/**
 * The caller's totals, and moves since a day (YYYY-MM-DD), read at one moment. Moves come from rollups and deposits,
 * which the audit compares with the ledger: the ledger has a row for every written batch. Throws 403 before
 * registration.
 */
export async function readAccountLedger(
  reads: CallerReads,
  accountId: string,
  since: string,
): Promise<AccountLedger> {
  const rows = await reads.rows<LedgerDayRow>(
    accountId,
    Prisma.sql`
    WITH ${callerIs(accountId)}, moves AS (
      SELECT to_char(day, 'YYYY-MM-DD') AS day, sum(deposits)::bigint AS deposits, sum(charges)::bigint AS charges,
        sum(impressions)::bigint AS impressions
      FROM (
        SELECT (created_at AT TIME ZONE 'UTC')::date AS day, amount_cents::bigint * 1000 AS deposits, 0 AS charges,
          0 AS impressions
        FROM deposits WHERE advertiser_id = (SELECT id FROM caller) AND created_at >= ${since}::date::timestamp AT TIME ZONE 'UTC'
        UNION ALL
        SELECT rollups.day, 0, rollups.spent_millicents, rollups.impressions
        FROM campaigns JOIN campaign_rollups AS rollups ON rollups.campaign_id = campaigns.id
        WHERE campaigns.advertiser_id = (SELECT id FROM caller) AND rollups.day >= ${since}::date
      ) AS moves
      GROUP BY moves.day
    )
    SELECT caller.id AS caller_id, caller.written, to_char(caller.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS first_day,
      caller.deposited_millicents, caller.spent_millicents,
      caller.impressions AS total_impressions, moves.*
    FROM caller LEFT JOIN moves ON true`,
  );
  const [totals] = rows;
  const moves = new Map<string, DayMoves>();
  for (const { day, deposits, charges, impressions } of rows) {
    if (day === null) continue;
    moves.set(day, {
      depositsMillicents: safeInteger(deposits, "deposits"),
      chargesMillicents: safeInteger(charges, "charges"),
      impressions: safeInteger(impressions, "impressions"),
    });
  }
  return {
    advertiserId: totals.caller_id,
    firstDay: totals.first_day,
    depositedMillicents: safeInteger(totals.deposited_millicents, "deposited"),
    spentMillicents: safeInteger(totals.spent_millicents, "spent"),
    impressions: safeInteger(totals.total_impressions, "impressions"),
    moves,
  };
}
