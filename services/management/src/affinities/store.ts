import { AFFINITY_WEIGHT, type AffinityCreate, type AffinityType, newId } from "@diegetic/contracts";
import type { Transaction } from "@diegetic/database";
import type { LockedCampaign } from "../campaign-parts/change-campaign.ts";
import type { CampaignPartStore } from "../campaign-parts/endpoints.ts";
import { rowsOfPage } from "../shared/paging.ts";

export interface Affinity {
  id: string;
  campaignId: string;
  affinityType: AffinityType;
  affinityValue: string;
  weight: number;
  createdAt: Date;
}

function newAffinity(campaign: LockedCampaign, request: AffinityCreate, nowMs: number) {
  return {
    id: newId("aff", nowMs),
    campaignId: campaign.id,
    sinceVersion: campaign.nextVersion,
    affinityType: request.affinity_type,
    affinityValue: request.affinity_value,
    weight: request.weight ?? AFFINITY_WEIGHT.default,
    createdAt: new Date(nowMs),
  };
}

export const affinityStore: CampaignPartStore<AffinityCreate, Affinity> = {
  list: (client, campaignId, paging) => client.affinity.findMany(rowsOfPage({ campaignId }, paging)),
  count: (transaction, campaignId) => transaction.affinity.count({ where: { campaignId } }),
  insert: (transaction, campaign, request, nowMs) =>
    transaction.affinity.create({ data: newAffinity(campaign, request, nowMs) }),
  async remove(transaction, campaignId, id) {
    const { count } = await transaction.affinity.deleteMany({ where: { id, campaignId } });
    return count > 0;
  },
};

/** Deletes all affinities of the campaign and creates these; their identifiers keep the order of the list. */
export async function replaceAffinities(
  transaction: Transaction,
  campaign: LockedCampaign,
  requests: readonly AffinityCreate[],
  nowMs: number,
): Promise<Affinity[]> {
  const affinities = requests.map((request) => newAffinity(campaign, request, nowMs));
  await transaction.affinity.deleteMany({ where: { campaignId: campaign.id } });
  await transaction.affinity.createMany({ data: affinities });
  return affinities;
}
