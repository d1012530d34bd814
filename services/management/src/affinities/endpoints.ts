import { type AffinityBody, type AffinityCreate, affinitiesApi, MAX_AFFINITIES } from "@diegetic/contracts";
import type { Transaction } from "@diegetic/database";
import { type Endpoint, endpoint, unprocessable } from "@diegetic/service-kit";
import { changeCampaign } from "../campaign-parts/change-campaign.ts";
import { type CampaignPartServices, campaignPartEndpoints } from "../campaign-parts/endpoints.ts";
import { ownCampaign } from "../campaigns/store.ts";
import { timestamp } from "../shared/time.ts";
import { affinityIdentity, readAffinities, readAffinity } from "./affinity-values.ts";
import { type Affinity, affinityStore, replaceAffinities } from "./store.ts";

export function affinityEndpoints(services: CampaignPartServices): Endpoint[] {
  return [
    // Before the path of one affinity, which would take "bulk" for an identifier.
    endpoint(affinitiesApi.operations.replaceAll, replaceAll(services)),
    ...campaignPartEndpoints(
      {
        operations: affinitiesApi.operations,
        idParameter: "affinityId",
        prefix: "aff",
        name: "affinity",
        plural: "affinities",
        most: MAX_AFFINITIES,
        validate: readAffinity,
        check: requireNew,
        store: affinityStore,
        present,
      },
      services,
    ),
  ];
}

/** The campaign is locked, so that two requests cannot both find the affinity missing. */
async function requireNew(
  transaction: Transaction,
  campaignId: string,
  { affinity_type, affinity_value }: AffinityCreate,
): Promise<void> {
  const identity = affinityIdentity(affinity_type, affinity_value);
  const affinities = await affinityStore.list(transaction, campaignId);
  const same = affinities.find((one) => affinityIdentity(one.affinityType, one.affinityValue) === identity);
  if (same === undefined) return;
  throw unprocessable(
    `The campaign already has this ${affinity_type} affinity with weight ${same.weight}: delete ${same.id} first to change its weight.`,
  );
}

function present(affinity: Affinity): AffinityBody {
  return {
    id: affinity.id,
    campaign_id: affinity.campaignId,
    affinity_type: affinity.affinityType,
    affinity_value: affinity.affinityValue,
    weight: affinity.weight,
    created_at: timestamp(affinity.createdAt),
  };
}

/** All affinities are replaced in one transaction, or none (spec: Affinities). */
function replaceAll(services: CampaignPartServices): Endpoint["handle"] {
  return async (context) => {
    const campaign = await ownCampaign(services.database, context.accountId, context.param("campaignId"));
    const { affinities } = context.body(readAffinities);
    const nowMs = services.clock();
    const created = await changeCampaign(services, campaign.id, { mayGrow: true }, (transaction, locked) =>
      replaceAffinities(transaction, locked, affinities, nowMs),
    );
    return { status: 200, body: created.map(present) };
  };
}
