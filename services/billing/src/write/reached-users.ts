import { Prisma } from "@diegetic/database";
import type { BilledImpression } from "./billed-impression.ts";
import type { CodedColumn } from "./coded-column.ts";
import { Columns } from "./columns.ts";
import type { Groups } from "./groups.ts";

/** The dimensions of a reach that already know its player. */
export interface Known {
  /** From 1, in the order of the reach's codes. */
  ordinal: number;
  day: boolean;
  creative: boolean;
  country: boolean;
}

/** New players per row, in the order of the deltas' rows. */
export interface NewUsers {
  campaigns: Int32Array;
  campaignRollups: Int32Array;
  creatives: Int32Array;
  countries: Int32Array;
}

/** Counts a player once for each row that does not know the player. */
export function countNewUsers(groups: Groups, rows: readonly Known[]): NewUsers {
  const { reach, player } = groups;
  const known: (Known | undefined)[] = new Array(reach.rows.length);
  for (const row of rows) known[row.ordinal - 1] = row;
  const count = (
    members: CodedColumn,
    players: CodedColumn,
    isNew: (before: Known | undefined) => boolean,
  ) => {
    const counts = new Int32Array(members.rows.length);
    const counted = new Uint8Array(players.rows.length);
    for (const [code, row] of reach.rows.entries()) {
      const who = players.codes[row] ?? 0;
      if (counted[who] === 1 || !isNew(known[code])) continue;
      counted[who] = 1;
      const member = members.codes[row] ?? 0;
      counts[member] = (counts[member] ?? 0) + 1;
    }
    return counts;
  };
  return {
    campaigns: count(groups.owned, player, (before) => before === undefined),
    campaignRollups: count(groups.campaignDay, groups.playerDay, (before) => before?.day !== true),
    creatives: count(groups.campaignCreative, groups.playerCreative, (before) => before?.creative !== true),
    countries: count(groups.campaignCountry, groups.playerCountry, (before) => before?.country !== true),
  };
}

/**
 * Remembers reached players, and returns Known for those known in some dimension. Each EXISTS is one index lookup, however
 * often a player was reached: one for a new player, two for one stored with this day, creative and country, else five. Exact
 * while the campaigns' advertisers are locked, because then nobody else adds players.
 */
export function reachedStatement(impressions: readonly BilledImpression[], { reach }: Groups): Prisma.Sql {
  const of = new Columns(Array.from(reach.rows, (row) => impressions[row] as BilledImpression));
  const knows = (condition: Prisma.Sql) => Prisma.sql`EXISTS (SELECT FROM reached_users k
    WHERE k.campaign_id = r.campaign_id AND k.user_hash = r.user_hash ${condition} OFFSET 0)`;
  const [sameDay, sameCreative, sameCountry] = [
    Prisma.sql`AND k.day = r.day`,
    Prisma.sql`AND k.creative_id = r.creative_id`,
    Prisma.sql`AND k.country_code = r.country_code`,
  ];
  // OFFSET 0: otherwise the planner might hash all players for an EXISTS, and would repeat a lookup in every column that
  // names its result.
  return Prisma.sql`
    WITH reached AS MATERIALIZED (
      SELECT r.*, player.known, same.whole, same.whole OR player.known AND ${knows(sameDay)} AS by_day,
        same.whole OR player.known AND ${knows(sameCreative)} AS by_creative,
        same.whole OR player.known AND ${knows(sameCountry)} AS by_country
      FROM unnest(${of.texts(({ record }) => record.match.campaign_id)},
        ${of.texts(({ record }) => record.match.user_hash)}, ${of.days(({ day }) => day)},
        ${of.texts(({ record }) => record.creative_id)}, ${of.texts(({ record }) => record.match.country_code ?? "")})
        WITH ORDINALITY AS r(campaign_id, user_hash, day, creative_id, country_code, ordinal)
      CROSS JOIN LATERAL (SELECT ${knows(Prisma.empty)} AS known OFFSET 0) AS player
      CROSS JOIN LATERAL (
        SELECT player.known AND ${knows(Prisma.sql`${sameDay} ${sameCreative} ${sameCountry}`)} AS whole OFFSET 0) AS same
    ), remembered AS (
      INSERT INTO reached_users (campaign_id, user_hash, day, creative_id, country_code)
      SELECT campaign_id, user_hash, day, creative_id, country_code FROM reached WHERE NOT whole
    )
    SELECT ordinal::int AS ordinal, by_day AS day, by_creative AS creative, by_country AS country
    FROM reached WHERE known`;
}
