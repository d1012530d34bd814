import { Prisma } from "@diegetic/database";
import { Columns } from "./columns.ts";
import type { RollupDeltas } from "./rollup-deltas.ts";
import type { LockedAdvertiser } from "./statements.ts";

/** What games earn, and the ledger. The order of the statements is that of the file, after those of statements.ts. */

/** Adds to the games of campaigns. */
export function campaignGamesStatement(moves: RollupDeltas["campaignGames"]): Prisma.Sql {
  const of = new Columns(moves);
  return Prisma.sql`
    MERGE INTO campaign_games AS known
    USING unnest(${of.texts(({ campaignId }) => campaignId)}, ${of.texts(({ gameId }) => gameId)},
      ${of.texts(({ accountId }) => accountId)}, ${of.texts(({ advertiserId }) => advertiserId)},
      ${of.integers(({ impressions }) => impressions)}, ${of.integers(({ spentMillicents }) => spentMillicents)},
      ${of.integers(({ earningMicrocents }) => earningMicrocents)})
      AS m(campaign_id, game_id, account_id, advertiser_id, impressions, spent_millicents, earning_microcents)
    ON known.campaign_id = m.campaign_id AND known.game_id = m.game_id AND known.account_id = m.account_id
    WHEN MATCHED THEN UPDATE SET impressions = known.impressions + m.impressions,
      spent_millicents = known.spent_millicents + m.spent_millicents,
      earning_microcents = known.earning_microcents + m.earning_microcents
    WHEN NOT MATCHED THEN INSERT (campaign_id, game_id, account_id, advertiser_id, impressions, spent_millicents, earning_microcents)
      VALUES (m.campaign_id, m.game_id, m.account_id, m.advertiser_id, m.impressions, m.spent_millicents, m.earning_microcents)`;
}

/**
 * Writes charge and fee of each campaign and day, and the earnings of each game and day; they sum to zero (docs/behaviour.md#units). Fees and earnings of nothing are written, too: a charge is never without them.
 */
export function ledgerStatement({
  charges,
  gameRollups: earnings,
}: Pick<RollupDeltas, "charges" | "gameRollups">): (
  entryGroupId: string,
  advertisers: ReadonlyMap<string, LockedAdvertiser>,
) => Prisma.Sql {
  const ofCharges = new Columns(charges);
  const of = new Columns(earnings);
  const charged = Prisma.sql`${ofCharges.texts(({ campaignId }) => campaignId)},
      ${ofCharges.integers(({ impressions }) => impressions)},
      ${ofCharges.integers(({ spentMillicents }) => BigInt(spentMillicents) * 1_000n)},
      ${ofCharges.integers(({ earningMicrocents }) => earningMicrocents)}`;
  const charging = Prisma.sql`${ofCharges.days(({ day }) => day)}, ${ofCharges.texts(({ advertiserId }) => advertiserId)}`;
  const earned = Prisma.sql`${of.days(({ day }) => day)}, ${of.texts(({ accountId }) => accountId)},
      ${of.texts(({ gameId }) => gameId)}, ${of.integers(({ impressions }) => impressions)},
      ${of.integers(({ earningMicrocents }) => earningMicrocents)}`;
  return (entryGroupId, advertisers) => Prisma.sql`
    INSERT INTO ledger_entries (entry_group_id, kind, day, account_id, advertiser_id, campaign_id, game_id, impressions,
      amount_microcents)
    SELECT ${entryGroupId}, entry.kind::ledger_kind, c.day, entry.account_id, c.advertiser_id, c.campaign_id, NULL,
      c.impressions, entry.amount_microcents
    FROM unnest(${charging},
      ${ofCharges.texts(({ advertiserId }) => advertisers.get(advertiserId)?.account_id ?? null)}, ${charged})
      AS c(day, advertiser_id, account_id, campaign_id, impressions, charge_microcents, earning_microcents)
    CROSS JOIN LATERAL (VALUES
      ('charge', c.account_id, -c.charge_microcents),
      ('fee', NULL, c.charge_microcents - c.earning_microcents)
    ) AS entry(kind, account_id, amount_microcents)
    UNION ALL
    SELECT ${entryGroupId}, 'earning', e.day, e.account_id, NULL, NULL, e.game_id, e.impressions, e.earning_microcents
    FROM unnest(${earned}) AS e(day, account_id, game_id, impressions, earning_microcents)`;
}

/**
 * Adds to what games have earned, in all. Other advertisers are seen in the same games: these rows, and those by day, are
 * locked last, in the order of their keys, and only until the commit that follows.
 */
export function gameTotalsStatement(moves: RollupDeltas["gameTotals"]): Prisma.Sql {
  const of = new Columns(moves);
  return Prisma.sql`
    INSERT INTO game_totals AS known (account_id, game_id, impressions, earning_microcents)
    SELECT * FROM unnest(${of.texts(({ accountId }) => accountId)}, ${of.texts(({ gameId }) => gameId)},
      ${of.integers(({ impressions }) => impressions)}, ${of.integers(({ earningMicrocents }) => earningMicrocents)})
    ON CONFLICT (account_id, game_id) DO UPDATE SET impressions = known.impressions + excluded.impressions,
      earning_microcents = known.earning_microcents + excluded.earning_microcents`;
}

/** Adds to what games have earned by day. */
export function gameRollupsStatement(moves: RollupDeltas["gameRollups"]): Prisma.Sql {
  const of = new Columns(moves);
  return Prisma.sql`
    INSERT INTO game_rollups AS known (account_id, game_id, day, impressions, earning_microcents)
    SELECT * FROM unnest(${of.texts(({ accountId }) => accountId)}, ${of.texts(({ gameId }) => gameId)},
      ${of.days(({ day }) => day)}, ${of.integers(({ impressions }) => impressions)},
      ${of.integers(({ earningMicrocents }) => earningMicrocents)})
    ON CONFLICT (account_id, game_id, day) DO UPDATE SET impressions = known.impressions + excluded.impressions,
      earning_microcents = known.earning_microcents + excluded.earning_microcents`;
}
