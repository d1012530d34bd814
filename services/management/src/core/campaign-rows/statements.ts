import { Prisma, type Statements, safeInteger } from "@diegetic/database";
import type { Affinity } from "./affinities.ts";
import type { BlocklistRule } from "./blocklist-rule.ts";
import { type Campaign, settingColumns } from "./campaign.ts";
import type { Creative } from "./creative.ts";
import type { GeoTarget } from "./geo-target.ts";

/** A campaign's parts, each oldest first; without deleted creatives. */
export interface CampaignContents {
  creatives: Creative[];
  geoTargets: GeoTarget[];
  blocklistRules: BlocklistRule[];
  affinities: Affinity[];
}

export type WholeCampaign = Campaign & CampaignContents;

/** A row of `campaignColumns` as read by the driver. */
export interface CampaignRow extends Omit<Campaign, "spentMillicents" | "impressions"> {
  spentMillicents: bigint;
  impressions: bigint;
}

const settings = Prisma.raw(
  settingColumns.map(({ column, property }) => `c.${column} AS "${property}"`).join(", "),
);

/** For a table or alias named `c`. */
export const campaignColumns = Prisma.sql`c.id, c.advertiser_id AS "advertiserId", c.status::text AS status, ${settings},
      c.spent_millicents AS "spentMillicents", c.impressions, c.version, c.published_version AS "publishedVersion",
      c.published_bytes AS "publishedBytes", c.pause_pending AS "pausePending", c.created_at AS "createdAt"`;

export function campaignOf(row: CampaignRow): Campaign {
  return {
    ...row,
    spentMillicents: safeInteger(row.spentMillicents, "spent"),
    impressions: safeInteger(row.impressions, "impressions"),
  };
}

/** A campaign's parts as JSON: times are texts, and numbers are exact up to 2^53. */
const contents = Prisma.sql`
      (SELECT coalesce(json_agg(json_build_object('id', p.id, 'campaignId', p.campaign_id, 'creativeType', p.creative_type,
          'brandName', p.brand_name, 'productName', p.product_name, 'tagline', p.tagline,
          'narrativeHook', p.narrative_hook, 'altHooks', p.alt_hooks, 'tone', p.tone,
          'maxUsesPerGame', p.max_uses_per_game, 'impressions', p.impressions, 'createdAt', p.created_at)
          ORDER BY p.created_at, p.id), '[]')
        FROM creatives AS p WHERE p.campaign_id = c.id AND p.deleted_at IS NULL) AS creatives,
      (SELECT coalesce(json_agg(json_build_object('id', p.id, 'campaignId', p.campaign_id, 'targetType', p.target_type,
          'countryCode', p.country_code, 'stateCode', p.state_code, 'cityName', p.city_name, 'lat', p.lat, 'lng', p.lng,
          'radiusKm', p.radius_km, 'include', p.include, 'createdAt', p.created_at) ORDER BY p.created_at, p.id), '[]')
        FROM geo_targets AS p WHERE p.campaign_id = c.id) AS "geoTargets",
      (SELECT coalesce(json_agg(json_build_object('id', p.id, 'campaignId', p.campaign_id, 'ruleType', p.rule_type,
          'value', p.value, 'createdAt', p.created_at) ORDER BY p.created_at, p.id), '[]')
        FROM blocklist_rules AS p WHERE p.campaign_id = c.id) AS "blocklistRules",
      (SELECT coalesce(json_agg(json_build_object('id', p.id, 'campaignId', p.campaign_id,
          'affinityType', p.affinity_type, 'affinityValue', p.affinity_value, 'weight', p.weight,
          'sinceVersion', p.since_version, 'createdAt', p.created_at) ORDER BY p.created_at, p.id), '[]')
        FROM affinities AS p WHERE p.campaign_id = c.id) AS affinities`;

type InJson<Part extends { createdAt: Date }> = Omit<Part, "createdAt"> & { createdAt: string };
type ContentsRow = { [Kind in keyof CampaignContents]: InJson<CampaignContents[Kind][number]>[] };

function withMoments<Part extends { createdAt: Date }>(parts: readonly InJson<Part>[]): Part[] {
  return parts.map((part) => ({ ...part, createdAt: new Date(part.createdAt) }) as unknown as Part);
}

function contentsOf(row: ContentsRow): CampaignContents {
  return {
    creatives: withMoments<Creative>(row.creatives),
    geoTargets: withMoments<GeoTarget>(row.geoTargets),
    blocklistRules: withMoments<BlocklistRule>(row.blocklistRules),
    affinities: withMoments<Affinity>(row.affinities),
  };
}

type Reading = Pick<Statements, "query">;

/** Campaigns with their parts, read at one moment, by their ids. */
export async function readCampaigns(reading: Reading, ids: readonly string[]): Promise<WholeCampaign[]> {
  const rows = await reading.query<CampaignRow & ContentsRow>(Prisma.sql`
    SELECT ${campaignColumns}, ${contents} FROM campaigns AS c WHERE c.id = ANY(${[...ids]}::text[]) ORDER BY c.id`);
  return rows.map((row) => ({ ...campaignOf(row), ...contentsOf(row) }));
}

/** The parts of a locked campaign: constant until the end of the transaction. */
export async function readContents(reading: Reading, campaignId: string): Promise<CampaignContents> {
  const [row] = await reading.query<ContentsRow>(
    Prisma.sql`SELECT ${contents} FROM campaigns AS c WHERE c.id = ${campaignId}`,
  );
  if (row === undefined) throw new Error(`campaign ${campaignId} is not there`);
  return contentsOf(row);
}

/** Locks a campaign until the end of the transaction: no other change and no publication runs meanwhile. */
export async function lockCampaign(reading: Reading, campaignId: string): Promise<Campaign> {
  // The row is read after the lock; its parts need a statement that starts later.
  const [row] = await reading.query<CampaignRow>(
    Prisma.sql`SELECT ${campaignColumns} FROM campaigns AS c WHERE c.id = ${campaignId} FOR NO KEY UPDATE`,
  );
  if (row === undefined) throw new Error(`campaign ${campaignId} is not there`);
  return campaignOf(row);
}

/** Writes the settings of a locked campaign, its status, size and version. */
export function writeCampaign(
  statements: Statements,
  campaign: Campaign,
  { activatedAt = null }: { activatedAt?: Date | null } = {},
): Promise<number> {
  const settings = settingColumns.map(
    ({ column, property }) => Prisma.sql`${Prisma.raw(column)} = ${campaign[property]}`,
  );
  return statements.execute(Prisma.sql`
    UPDATE campaigns SET ${Prisma.join(settings)}, status = ${campaign.status}::campaign_status,
      published_bytes = ${campaign.publishedBytes}, pause_pending = ${campaign.pausePending},
      version = ${campaign.version}, updated_at = now(),
      first_activated_at = coalesce(first_activated_at, ${activatedAt}::timestamptz)
    WHERE id = ${campaign.id}`);
}
