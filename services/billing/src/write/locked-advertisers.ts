import { type Pipeline, Prisma } from "@diegetic/database";
import type { BilledImpression } from "./billed-impression.ts";
import { Columns } from "./columns.ts";

/** The rows that only an advertiser's own impressions change, and that other transactions may lock. */
const OWN_ROWS: { table: Prisma.Sql; idOf: (impression: BilledImpression) => string }[] = [
  { table: Prisma.sql`advertisers`, idOf: ({ record }) => record.match.advertiser_id },
  { table: Prisma.sql`campaigns`, idOf: ({ record }) => record.match.campaign_id },
  { table: Prisma.sql`creatives`, idOf: ({ record }) => record.creative_id },
];

/** The ids of advertisers whose impressions cannot be written now, because another transaction has locked their rows. */
export async function lockedAdvertisers(
  pipeline: Pipeline,
  impressions: readonly BilledImpression[],
): Promise<Set<string>> {
  const of = new Columns(impressions);
  const rows = await pipeline.inTransaction((statements) =>
    Promise.all(
      OWN_ROWS.map(({ table, idOf }) =>
        statements.query<{ id: string }>(Prisma.sql`
          WITH free AS (SELECT id FROM ${table} WHERE id = ANY(${of.texts(idOf)}) FOR NO KEY UPDATE SKIP LOCKED)
          SELECT id FROM ${table} WHERE id = ANY(${of.texts(idOf)}) AND id NOT IN (SELECT id FROM free)`),
      ),
    ),
  );
  const locked = rows.map((found) => new Set(found.map(({ id }) => id)));
  return new Set(
    impressions
      .filter((impression) => OWN_ROWS.some(({ idOf }, index) => locked[index]?.has(idOf(impression))))
      .map(({ record }) => record.match.advertiser_id),
  );
}
