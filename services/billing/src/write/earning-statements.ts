import { Prisma } from "@diegetic/database";
import { Columns } from "./columns.ts";
import type { RollupDeltas } from "./rollup-deltas.ts";
import type { LockedAdvertiser } from "./statements.ts";

/** Statements for earnings and the ledger. They run after those of statements.ts, in this file's order. */

export function campaignGamesStatement(deltas: RollupDeltas["campaignGames"]): Prisma.Sql {
  const of = new Columns(deltas);
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

export function gameAdvertisersStatement(deltas: RollupDeltas["gameAdvertisers"]): Prisma.Sql {
  const of = new Columns(deltas);
  return Prisma.sql`
    MERGE INTO game_advertiser_rollups AS known
    USING unnest(${of.texts(({ accountId }) => accountId)}, ${of.days(({ day }) => day)},
      ${of.texts(({ gameId }) => gameId)}, ${of.texts(({ advertiserId }) => advertiserId)},
      ${of.integers(({ impressions }) => impressions)}, ${of.integers(({ earningMicrocents }) => earningMicrocents)})
      AS m(account_id, day, game_id, advertiser_id, impressions, earning_microcents)
    ON known.account_id = m.account_id AND known.day = m.day AND known.game_id = m.game_id
      AND known.advertiser_id = m.advertiser_id
    WHEN MATCHED THEN UPDATE SET impressions = known.impressions + m.impressions,
      earning_microcents = known.earning_microcents + m.earning_microcents
    WHEN NOT MATCHED THEN INSERT (account_id, day, game_id, advertiser_id, impressions, earning_microcents)
      VALUES (m.account_id, m.day, m.game_id, m.advertiser_id, m.impressions, m.earning_microcents)`;
}

/**
 * Writes a charge and a fee for each campaign and day, and an earning for each game and day; they sum to zero
 * (docs/behaviour.md#units). Fees and earnings of 0 are written, too, so that every charge has both.
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
 * Adds to the games' total earnings. Other advertisers share these rows and the daily ones, so they are locked last, in
 * key order, immediately before the commit.
 */
export function gameTotalsStatement(deltas: RollupDeltas["gameTotals"]): Prisma.Sql {
  const of = new Columns(deltas);
  return Prisma.sql`
    INSERT INTO game_totals AS known (account_id, game_id, impressions, earning_microcents)
    SELECT * FROM unnest(${of.texts(({ accountId }) => accountId)}, ${of.texts(({ gameId }) => gameId)},
      ${of.integers(({ impressions }) => impressions)}, ${of.integers(({ earningMicrocents }) => earningMicrocents)})
    ON CONFLICT (account_id, game_id) DO UPDATE SET impressions = known.impressions + excluded.impressions,
      earning_microcents = known.earning_microcents + excluded.earning_microcents`;
}

export function gameRollupsStatement(deltas: RollupDeltas["gameRollups"]): Prisma.Sql {
  const of = new Columns(deltas);
  return Prisma.sql`
    INSERT INTO game_rollups AS known (account_id, game_id, day, impressions, earning_microcents)
    SELECT * FROM unnest(${of.texts(({ accountId }) => accountId)}, ${of.texts(({ gameId }) => gameId)},
      ${of.days(({ day }) => day)}, ${of.integers(({ impressions }) => impressions)},
      ${of.integers(({ earningMicrocents }) => earningMicrocents)})
    ON CONFLICT (account_id, game_id, day) DO UPDATE SET impressions = known.impressions + excluded.impressions,
      earning_microcents = known.earning_microcents + excluded.earning_microcents`;
}
