import { newId } from "@diegetic/contracts";
import { Prisma, type Statements } from "@diegetic/database";
import { type Campaign, type CampaignSettings, settingColumns } from "../../core/campaign-rows/campaign.ts";
import {
  type CampaignContents,
  insertParts,
  PART_KINDS,
  type WholeCampaign,
} from "../../core/campaign-rows/statements.ts";
import { insertRows } from "../../core/shared/insert-rows.ts";

const COLUMNS = [
  ...settingColumns.map(({ property }) => property),
  ...(["id", "advertiserId", "status", "firstActivatedAt", "publishedBytes", "createdAt"] as const),
];

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
  const rows = campaigns.map((campaign) => ({
    ...campaign,
    firstActivatedAt: campaign.status === "draft" ? null : campaign.createdAt,
  }));
  void statements.execute(insertRows("campaigns", COLUMNS, rows));
  for (const kind of PART_KINDS) {
    const parts = campaigns.flatMap<CampaignContents[typeof kind][number]>((campaign) => campaign[kind]);
    if (parts.length > 0) void statements.execute(insertParts(kind, parts));
  }
}
