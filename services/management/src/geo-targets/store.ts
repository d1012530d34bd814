import { type GeoTargetCreate, newId } from "@diegetic/contracts";
import type { Transaction } from "@diegetic/database";
import { unprocessable } from "@diegetic/service-kit";
import type { CampaignPartStore } from "../campaign-parts/endpoints.ts";
import { rowsOfPage } from "../shared/paging.ts";
import { type GeoTarget, isSamePlace, placeOf } from "./geo-target.ts";

const isIncluded = (request: GeoTargetCreate) => request.include ?? true;

export const geoTargetStore: CampaignPartStore<GeoTargetCreate, GeoTarget> = {
  list: (client, campaignId, paging) => client.geoTarget.findMany(rowsOfPage({ campaignId }, paging)),
  count: (transaction, campaignId) => transaction.geoTarget.count({ where: { campaignId } }),
  insert: (transaction, campaign, request, nowMs) =>
    transaction.geoTarget.create({
      data: {
        id: newId("geo", nowMs),
        campaignId: campaign.id,
        ...placeOf(request),
        include: isIncluded(request),
        createdAt: new Date(nowMs),
      },
    }),
  async remove(transaction, campaignId, id) {
    const { count } = await transaction.geoTarget.deleteMany({ where: { id, campaignId } });
    return count > 0;
  },
};

/** Throws 422 when the campaign has the same place the other way round (docs/behaviour.md#rule-4-geo). */
export async function requireNoContradiction(
  transaction: Transaction,
  campaignId: string,
  request: GeoTargetCreate,
): Promise<void> {
  const include = isIncluded(request);
  const place = placeOf(request);
  const opposite = await transaction.geoTarget.findMany({
    where: { campaignId, include: !include, targetType: place.targetType },
    orderBy: { id: "asc" },
  });
  const other = opposite.find((target) => isSamePlace(target, place));
  if (other === undefined) return;
  const has = include ? "excludes" : "includes";
  throw unprocessable(
    `include must not be ${include}: the campaign ${has} the same place by ${other.id}; delete that geo target first`,
  );
}
