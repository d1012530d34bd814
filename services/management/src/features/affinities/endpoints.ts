import {
  type AffinityBody,
  type AffinityCreate,
  affinitiesApi,
  existingAffinity,
  MAX_AFFINITIES,
  noAffinity,
  tooManyAffinities,
} from "@diegetic/contracts";
import type { RequestContext } from "@diegetic/service-kit";
import {
  type Affinity,
  deleteAffinitiesOf,
  listAffinities,
  newAffinity,
} from "../../core/campaign-rows/affinities.ts";
import { insertParts } from "../../core/campaign-rows/statements.ts";
import { mutateCampaign } from "../../core/campaigns/mutate-campaign.ts";
import { ownCampaign } from "../../core/campaigns/store.ts";
import { timestamp } from "../../core/shared/time.ts";
import { campaignPartHandlers } from "../campaign-parts/endpoints.ts";
import { endpointsOf } from "../endpoints-of.ts";
import type { Parts } from "../parts.ts";
import { affinityIdentity, readAffinities, readAffinity } from "./affinity-values.ts";

export const affinityEndpoints = endpointsOf(affinitiesApi.operations, {
  // Before the path of one affinity, which would match "bulk" as an identifier.
  replaceAll,
  ...campaignPartHandlers({
    idParameter: "affinityId",
    prefix: "aff",
    kind: "affinities",
    max: MAX_AFFINITIES,
    tooMany: tooManyAffinities,
    missing: noAffinity,
    validate: readAffinity,
    check: requireNew,
    make: newAffinity,
    list: listAffinities,
    toResponse,
  }),
});

function requireNew(existing: readonly Affinity[], { affinity_type, affinity_value }: AffinityCreate): void {
  const identity = affinityIdentity(affinity_type, affinity_value);
  const same = existing.find((one) => affinityIdentity(one.affinityType, one.affinityValue) === identity);
  if (same === undefined) return;
  throw existingAffinity.error(affinity_type, same.weight, same.id);
}

function toResponse(affinity: Affinity): AffinityBody {
  return {
    id: affinity.id,
    campaign_id: affinity.campaignId,
    affinity_type: affinity.affinityType,
    affinity_value: affinity.affinityValue,
    weight: affinity.weight,
    created_at: timestamp(affinity.createdAt),
  };
}

/** Replaces all affinities in one transaction. */
async function replaceAll(parts: Parts, context: RequestContext) {
  const { id } = await ownCampaign(parts.reader, context.accountId, context.param("campaignId"));
  const requests = context.body(readAffinities).affinities;
  const nowMs = parts.clock();
  const created = await mutateCampaign(parts, id, "publishAndWait", ({ nextVersion }) => {
    // Identifiers sort in the order of the list.
    const affinities = requests.map((request) => newAffinity({ id, nextVersion }, request, nowMs));
    return {
      change: {
        writes: [deleteAffinitiesOf(id), insertParts("affinities", affinities)],
        contents: { affinities },
        size: { mayGrow: true },
      },
      result: () => affinities,
    };
  });
  return { status: 200, body: created.map(toResponse) };
}
