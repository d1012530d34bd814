import { Prisma } from "@diegetic/database";
import { Columns } from "./columns.ts";
import type { RollupDeltas } from "./rollup-deltas.ts";
import type { LockedAdvertiser } from "./statements.ts";
import { arraysOf, insert, merge, statement } from "./sum-statements.ts";

/** Statements for earnings and the ledger. They run after those of statements.ts, in this file's order. */

export const campaignGamesStatement = statement(merge, {
  name: "campaign_games",
  deltas: "campaignGames",
  keys: ["campaign_id", "game_id", "account_id"],
  others: ["advertiser_id"],
  sums: ["impressions", "spent_millicents", "earning_microcents"],
});

export const gameAdvertisersStatement = statement(merge, {
  name: "game_advertiser_rollups",
  deltas: "gameAdvertisers",
  keys: ["account_id", "day", "game_id", "advertiser_id"],
  sums: ["impressions", "earning_microcents"],
});

/**
 * Writes a charge and a fee for each campaign and day, and an earning for each game and day; they sum to zero
 * (docs/behaviour.md#units). Fees and earnings of 0 are written, too, so that every charge has both.
 */
export function ledgerStatement({
  charges,
  gameRollups: earnings,
}: RollupDeltas): (entryGroupId: string, advertisers: ReadonlyMap<string, LockedAdvertiser>) => Prisma.Sql {
  const of = new Columns(charges);
  const charged = Prisma.sql`${arraysOf(charges, ["day", "advertiser_id", "campaign_id", "impressions", "earning_microcents"])},
      ${of.integers(({ spentMillicents }) => BigInt(spentMillicents) * 1_000n)}`;
  const earned = arraysOf(earnings, ["day", "account_id", "game_id", "impressions", "earning_microcents"]);
  return (entryGroupId, advertisers) => Prisma.sql`
    INSERT INTO ledger_entries (entry_group_id, kind, day, account_id, advertiser_id, campaign_id, game_id, impressions,
      amount_microcents)
    SELECT ${entryGroupId}, entry.kind::ledger_kind, c.day, entry.account_id, c.advertiser_id, c.campaign_id, NULL,
      c.impressions, entry.amount_microcents
    FROM unnest(${charged},
      ${of.texts(({ first }) => advertisers.get(first.record.match.advertiser_id)?.account_id ?? null)})
      AS c(day, advertiser_id, campaign_id, impressions, earning_microcents, charge_microcents, account_id)
    CROSS JOIN LATERAL (VALUES
      ('charge', c.account_id, -c.charge_microcents),
      ('fee', NULL, c.charge_microcents - c.earning_microcents)
    ) AS entry(kind, account_id, amount_microcents)
    UNION ALL
    SELECT ${entryGroupId}, 'earning', e.day, e.account_id, NULL, NULL, e.game_id, e.impressions, e.earning_microcents
    FROM unnest(${earned}) AS e(day, account_id, game_id, impressions, earning_microcents)`;
}

/**
 * Adds to the games' total earnings. Other advertisers share these rows and the daily ones, so they are locked last, in
 * key order, immediately before the commit.
 */
export const gameTotalsStatement = statement(insert, {
  name: "game_totals",
  deltas: "gameTotals",
  keys: ["account_id", "game_id"],
  sums: ["impressions", "earning_microcents"],
});

export const gameRollupsStatement = statement(insert, {
  name: "game_rollups",
  deltas: "gameRollups",
  keys: ["account_id", "game_id", "day"],
  sums: ["impressions", "earning_microcents"],
});
