import { newId } from "@diegetic/contracts";
import { Prisma, type Statements } from "@diegetic/database";
import { insertAffinities } from "../../core/campaign-rows/affinities.ts";
import { type Campaign, type CampaignSettings, settingFields } from "../../core/campaign-rows/campaign.ts";
import type { CampaignContents, WholeCampaign } from "../../core/campaign-rows/statements.ts";
import { insertBlocklistRules } from "../blocklist/store.ts";
import { insertCreatives } from "../creatives/store.ts";
import { insertGeoTargets } from "../geo-targets/store.ts";

/** A new draft, not stored yet. */
export function newCampaign(advertiserId: string, settings: CampaignSettings, nowMs: number): Campaign {
  return {
    id: newId("camp", nowMs),
    advertiserId,
    ...settings,
    status: "draft",
    spentMillicents: 0,
    impressions: 0,
    version: 1,
    publishedVersion: 0,
    publishedBytes: 0,
    pausePending: false,
    createdAt: new Date(nowMs),
  };
}

export const noContents: CampaignContents = {
  creatives: [],
  geoTargets: [],
  blocklistRules: [],
  affinities: [],
};

/** Number of an advertiser's campaigns. Locks the advertiser, so that concurrent creations count one after the other. */
export async function countCampaigns(statements: Statements, advertiserId: string): Promise<number> {
  void statements.execute(Prisma.sql`SELECT FROM advertisers WHERE id = ${advertiserId} FOR NO KEY UPDATE`);
  const [row] = await statements.query<{ count: number }>(
    Prisma.sql`SELECT count(*)::integer AS count FROM campaigns WHERE advertiser_id = ${advertiserId}`,
  );
  return row?.count ?? 0;
}

/** Stores at least one new campaign with its parts, unchanged; the commit waits for it. */
export function insertCampaigns(statements: Statements, campaigns: readonly WholeCampaign[]): void {
  void statements.execute(insertRows(campaigns));
  const all = {
    creatives: campaigns.flatMap(({ creatives }) => creatives),
    geoTargets: campaigns.flatMap(({ geoTargets }) => geoTargets),
    blocklistRules: campaigns.flatMap(({ blocklistRules }) => blocklistRules),
    affinities: campaigns.flatMap(({ affinities }) => affinities),
  };
  if (all.creatives.length > 0) void statements.execute(insertCreatives(all.creatives));
  if (all.geoTargets.length > 0) void statements.execute(insertGeoTargets(all.geoTargets));
  if (all.blocklistRules.length > 0) void statements.execute(insertBlocklistRules(all.blocklistRules));
  if (all.affinities.length > 0) void statements.execute(insertAffinities(all.affinities));
}

function insertRows(campaigns: readonly WholeCampaign[]): Prisma.Sql {
  const rows = campaigns.map((campaign) => ({
    ...settingFields(campaign),
    id: campaign.id,
    advertiser_id: campaign.advertiserId,
    status: campaign.status,
    first_activated_at: campaign.status === "draft" ? null : campaign.createdAt,
    published_bytes: campaign.publishedBytes,
    created_at: campaign.createdAt,
  }));
  const columns = Prisma.raw(Object.keys(rows[0] ?? {}).join(", "));
  return Prisma.sql`
    INSERT INTO campaigns (${columns})
    SELECT ${columns} FROM json_populate_recordset(NULL::campaigns, ${JSON.stringify(rows)}::json)`;
}
