import { type Database, dateOfDay, inTransaction, safeInteger, type Transaction } from "@diegetic/database";
import type { Millicents } from "@diegetic/money";
import type { DayMoves } from "./books.ts";

export interface Books {
  depositedMillicents: Millicents;
  spentMillicents: Millicents;
  impressions: number;
  /** Days with deposits or impressions from the first day on, by day (YYYY-MM-DD). */
  moves: Map<string, DayMoves>;
}

interface MoveRow {
  day: string;
  deposits: bigint;
  charges: bigint;
  impressions: bigint;
}

/** The advertiser's totals and what moved since the first day, all of one moment. */
export function readBooks(database: Database, advertiserId: string, firstDay: string): Promise<Books> {
  return inTransaction(database, async (transaction) => {
    await transaction.$executeRaw`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`;
    const row = await transaction.advertiser.findUniqueOrThrow({ where: { id: advertiserId } });
    const moves = await readMoves(transaction, advertiserId, firstDay);
    return {
      depositedMillicents: safeInteger(row.depositedMillicents, "deposited"),
      spentMillicents: safeInteger(row.spentMillicents, "spent"),
      impressions: safeInteger(row.impressions, "impressions"),
      moves: new Map(
        moves.map((move) => [
          move.day,
          {
            depositsMillicents: safeInteger(move.deposits, "deposits"),
            chargesMillicents: safeInteger(move.charges, "charges"),
            impressions: safeInteger(move.impressions, "impressions"),
          },
        ]),
      ),
    };
  });
}

/** From rollups and deposits, which the audit holds against the ledger: it has a row for every written batch. */
function readMoves(transaction: Transaction, advertiserId: string, firstDay: string): Promise<MoveRow[]> {
  const first = dateOfDay(firstDay);
  return transaction.$queryRaw<MoveRow[]>`
    SELECT to_char(day, 'YYYY-MM-DD') AS day, sum(deposits)::bigint AS deposits, sum(charges)::bigint AS charges,
      sum(impressions)::bigint AS impressions
    FROM (
      SELECT (created_at AT TIME ZONE 'UTC')::date AS day, amount_cents::bigint * 1000 AS deposits, 0 AS charges,
        0 AS impressions
      FROM deposits WHERE advertiser_id = ${advertiserId} AND created_at >= ${first}
      UNION ALL
      SELECT rollups.day, 0, rollups.spent_millicents, rollups.impressions
      FROM campaigns JOIN campaign_rollups AS rollups ON rollups.campaign_id = campaigns.id
      WHERE campaigns.advertiser_id = ${advertiserId} AND rollups.day >= ${first}::date
    ) AS moves
    GROUP BY moves.day`;
}
