import { Prisma, type Statements } from "@diegetic/database";
import { type BilledImpression, type ChargedMatch, decimalOfMillionths } from "./billed-impression.ts";
import { Columns } from "./columns.ts";

/** Inserts impressions that are neither stored nor quarantined, and returns their ids as `id`. */
export function missingImpressionsStatement(impressions: readonly BilledImpression[]): Prisma.Sql {
  return Prisma.sql`${newImpressionsStatement(impressions)}
    ON CONFLICT (day, impression_id) DO NOTHING RETURNING impression_id AS id`;
}

/** Returns quarantined impressions as `id`, with `reason`; final once their advertisers are locked. */
export function quarantineStatement(impressions: readonly BilledImpression[]): Prisma.Sql {
  const of = new Columns(impressions);
  return Prisma.sql`SELECT impression_id AS id, reason FROM quarantined_impressions
    WHERE impression_id = ANY(${of.texts(({ record }) => record.impression_id)})`;
}

/** Finds impressions that are stored under the given days. */
export async function findStored(
  statements: Statements,
  requested: readonly Pick<BilledImpression, "day" | "record">[],
): Promise<({ impression_id: string } & ChargedMatch)[]> {
  if (requested.length === 0) return [];
  const of = new Columns(requested);
  const days = requested.map(({ day }) => day).sort();
  // OFFSET 0 fixes the order of the join: while a partition has no statistics, the planner might read all of it for each row.
  // The first and the last day keep it from planning and locking the partitions of others.
  return statements.query(Prisma.sql`
    SELECT i.impression_id, i.match_id, i.campaign_id
    FROM unnest(${of.days(({ day }) => day)}, ${of.texts(({ record }) => record.impression_id)})
      AS requested(day, impression_id)
    CROSS JOIN LATERAL (
      SELECT impression_id, match_id, campaign_id FROM impressions
      WHERE day = requested.day AND impression_id = requested.impression_id
        AND day BETWEEN ${days[0]}::date AND ${days.at(-1)}::date OFFSET 0) AS i`);
}

/**
 * Inserts impressions that are not quarantined, in the given order; fails with UniqueViolation on a duplicate. This
 * costs half as much as an insert that tolerates duplicates.
 */
export function newImpressionsStatement(impressions: readonly BilledImpression[]): Prisma.Sql {
  const of = new Columns(impressions);
  return Prisma.sql`
    INSERT INTO impressions (day, impression_id, match_id, advertiser_id, campaign_id, campaign_version,
      creative_id, game_id, developer_account_id, user_hash, session_key, country_code, affinity_score, affinities,
      price_millicents, revenue_share_basis_points, earning_microcents, operation_id, matched_at, recorded_at)
    SELECT day, impression_id, match_id, advertiser_id, campaign_id, campaign_version,
      creative_id, game_id, developer_account_id, user_hash, session_key, country_code, affinity_score,
      affinities, price_millicents, revenue_share_basis_points, earning_microcents, operation_id,
      to_timestamp(matched_at_ms / 1000), to_timestamp(recorded_at_ms / 1000)
    FROM ROWS FROM (unnest(${of.days(({ day }) => day)}, ${of.texts(({ record }) => record.impression_id)},
      ${of.texts(({ record }) => record.match.match_id)}, ${of.texts(({ record }) => record.match.advertiser_id)},
      ${of.texts(({ record }) => record.match.campaign_id)},
      ${of.integers(({ record }) => record.match.campaign_version)}, ${of.texts(({ record }) => record.creative_id)},
      ${of.texts(({ record }) => record.match.game_id)},
      ${of.texts(({ record }) => record.match.developer_account_id)},
      ${of.texts(({ record }) => record.match.user_hash)}, ${of.texts(({ record }) => record.match.session_key)},
      ${of.texts(({ record }) => record.match.country_code)},
      ${of.decimals(({ affinityScoreMillionths }) => decimalOfMillionths(affinityScoreMillionths))},
      ${of.integers(({ record }) => record.match.price_millicents)},
      ${of.integers(({ record }) => record.match.revenue_share_basis_points)},
      ${of.integers(({ earningMicrocents }) => earningMicrocents)},
      ${of.texts(({ record }) => record.operation_id ?? null)},
      ${of.floats(({ matchedAtMs }) => matchedAtMs)}, ${of.floats(({ record }) => record.recorded_at_ms)}),
      jsonb_array_elements(${of.json(({ record }) => record.match.affinities)}))
      AS r(day, impression_id, match_id, advertiser_id, campaign_id, campaign_version, creative_id, game_id,
        developer_account_id, user_hash, session_key, country_code, affinity_score, price_millicents,
        revenue_share_basis_points, earning_microcents, operation_id, matched_at_ms, recorded_at_ms, affinities)
    WHERE NOT EXISTS (SELECT FROM quarantined_impressions p WHERE p.impression_id = r.impression_id)`;
}
