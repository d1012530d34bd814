import { Prisma, type Statements, safeInteger } from "@diegetic/database";
import { columnOf, insertRows } from "../shared/insert-rows.ts";
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

type PartKind = keyof CampaignContents;

/** Properties of a campaign's parts, which are columns of the table with the kind's name. */
const PARTS: { [Kind in PartKind]: readonly (keyof CampaignContents[Kind][number] & string)[] } = {
  creatives: [
    "id",
    "campaignId",
    "creativeType",
    "brandName",
    "productName",
    "tagline",
    "narrativeHook",
    "altHooks",
    "tone",
    "maxUsesPerGame",
    "impressions",
    "createdAt",
  ],
  geoTargets: [
    "id",
    "campaignId",
    "targetType",
    "countryCode",
    "stateCode",
    "cityName",
    "lat",
    "lng",
    "radiusKm",
    "include",
    "createdAt",
  ],
  blocklistRules: ["id", "campaignId", "ruleType", "value", "createdAt"],
  affinities: ["id", "campaignId", "affinityType", "affinityValue", "weight", "sinceVersion", "createdAt"],
};

export const PART_KINDS = Object.keys(PARTS) as PartKind[];

/** A campaign's parts as JSON: times are texts, and numbers are exact up to 2^53. */
const contents = Prisma.raw(
  PART_KINDS.map((kind) => {
    const fields = PARTS[kind].map((property) => `'${property}', p.${columnOf(property)}`).join(", ");
    const inUse = kind === "creatives" ? "AND p.deleted_at IS NULL" : "";
    return `(SELECT coalesce(json_agg(json_build_object(${fields}) ORDER BY p.created_at, p.id), '[]')
      FROM ${columnOf(kind)} AS p WHERE p.campaign_id = c.id ${inUse}) AS "${kind}"`;
  }).join(", "),
);

/** Stores new parts. */
export function insertParts<Kind extends PartKind>(
  kind: Kind,
  parts: readonly CampaignContents[Kind][number][],
): Prisma.Sql {
  return insertRows(columnOf(kind), PARTS[kind], parts);
}

/** Deletes a part that nothing references. */
export function deletePart(kind: Exclude<PartKind, "creatives">, id: string): Prisma.Sql {
  return Prisma.sql`DELETE FROM ${Prisma.raw(columnOf(kind))} WHERE id = ${id}`;
}

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
  if (row === undefined) throw new Error(`campaign ${campaignId} is gone`);
  return contentsOf(row);
}

/** Locks a campaign until the end of the transaction: no other change and no publication runs meanwhile. */
export async function lockCampaign(reading: Reading, campaignId: string): Promise<Campaign> {
  // The row is read after the lock; its parts need a statement that starts later.
  const [row] = await reading.query<CampaignRow>(
    Prisma.sql`SELECT ${campaignColumns} FROM campaigns AS c WHERE c.id = ${campaignId} FOR NO KEY UPDATE`,
  );
  if (row === undefined) throw new Error(`campaign ${campaignId} is gone`);
  return campaignOf(row);
}

/** Writes the settings of a locked campaign, its status, size and version. */
export function writeCampaign(
  statements: Statements,
  campaign: Campaign,
  activatedAt: Date | null,
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
