import { Prisma, type Transaction } from "@diegetic/database";
import type { BilledImpression } from "./billed-impression.ts";
import type { CodedColumn } from "./coded-column.ts";
import { Columns } from "./columns.ts";
import type { Groups } from "./groups.ts";

/** Which dimensions of a reach know its player already; `whole`: the very same row is there. */
interface Known {
  place: number;
  day: boolean;
  creative: boolean;
  country: boolean;
  whole: boolean;
}

/** How many players each row got that it did not know, in the order of the rows of the posting. */
export interface NewUsers {
  campaigns: Int32Array;
  campaignRollups: Int32Array;
  creatives: Int32Array;
  countries: Int32Array;
}

/**
 * Remembers who was reached, and counts those who were not known. Exact as long as the rows of the campaigns' advertisers
 * are locked: then nobody else remembers players of these campaigns.
 */
export async function rememberUsers(
  transaction: Transaction,
  impressions: readonly BilledImpression[],
  groups: Groups,
): Promise<NewUsers> {
  const reached = Array.from(groups.reach.rows, (row) => impressions[row] as BilledImpression);
  const known: (Known | undefined)[] = new Array(reached.length);
  for (const row of await findKnown(transaction, reached)) known[row.place - 1] = row;
  await insert(
    transaction,
    reached.filter((_, place) => known[place]?.whole !== true),
  );
  return countNewUsers(groups, known);
}

/** Counts a player once for each row that did not know him. @param known by the code of the reach */
export function countNewUsers(groups: Groups, known: readonly (Known | undefined)[]): NewUsers {
  const { reach, player } = groups;
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

/** One look into the index for each: a player has few rows in a campaign. */
function findKnown(transaction: Transaction, reached: readonly BilledImpression[]): Promise<Known[]> {
  return transaction.$queryRaw<Known[]>`
    SELECT r.place::int AS place, known.day, known.creative, known.country, known.whole
    FROM unnest(${columnsOf(reached)})
      WITH ORDINALITY AS r(campaign_id, user_hash, day, creative_id, country_code, place)
    CROSS JOIN LATERAL (
      SELECT bool_or(k.day = r.day) AS day, bool_or(k.creative_id = r.creative_id) AS creative,
        bool_or(k.country_code = r.country_code) AS country,
        bool_or(k.day = r.day AND k.creative_id = r.creative_id AND k.country_code = r.country_code) AS whole
      FROM reached_users k WHERE k.campaign_id = r.campaign_id AND k.user_hash = r.user_hash) AS known
    WHERE known.whole IS NOT NULL`;
}

async function insert(transaction: Transaction, reached: readonly BilledImpression[]): Promise<void> {
  if (reached.length === 0) return;
  await transaction.$executeRaw`
    INSERT INTO reached_users (campaign_id, user_hash, day, creative_id, country_code)
    SELECT * FROM unnest(${columnsOf(reached)})`;
}

function columnsOf(reached: readonly BilledImpression[]): Prisma.Sql {
  const of = new Columns(reached);
  return Prisma.sql`${of.texts(({ record }) => record.match.campaign_id)},
    ${of.texts(({ record }) => record.match.user_hash)}, ${of.days(({ day }) => day)},
    ${of.texts(({ record }) => record.creative_id)}, ${of.texts(({ record }) => record.match.country_code ?? "")}`;
}
