import {
  type CreativeBody,
  creativeCreate,
  creativePatch,
  creativesApi,
  MAX_CREATIVES,
  noCreative,
  tooManyCreatives,
} from "@diegetic/contracts";
import type { RequestContext } from "@diegetic/service-kit";
import {
  type Creative,
  changedSettings,
  publishedTextBytes,
  requireDeletable,
  requireTextFits,
  settingsOfNewCreative,
  textBytes,
} from "../../core/campaign-rows/creative.ts";
import { insertParts } from "../../core/campaign-rows/statements.ts";
import { changeCampaign, type LockedCampaign, mutateCampaign } from "../../core/campaigns/mutate-campaign.ts";
import { ownCampaign } from "../../core/campaigns/store.ts";
import { createOnceByStatements, readSentBody } from "../../core/idempotency/create-once.ts";
import { pageAnswer, readPaging } from "../../core/shared/paging.ts";
import { timestamp } from "../../core/shared/time.ts";
import { endpointsOf } from "../endpoints-of.ts";
import type { Parts } from "../parts.ts";
import {
  listCreatives,
  markDeleted,
  newCreative,
  ownBilledCreative,
  ownCreative,
  requireFewStored,
  updateCreative,
} from "./store.ts";

export const creativeEndpoints = endpointsOf(creativesApi.operations, { create, list, change, remove });

function toResponse(creative: Creative): CreativeBody {
  return {
    id: creative.id,
    campaign_id: creative.campaignId,
    creative_type: creative.creativeType,
    brand_name: creative.brandName,
    product_name: creative.productName,
    tagline: creative.tagline,
    narrative_hook: creative.narrativeHook,
    alt_hooks: creative.altHooks,
    tone: creative.tone,
    max_uses_per_game: creative.maxUsesPerGame,
    impressions: creative.impressions,
    created_at: timestamp(creative.createdAt),
  };
}

async function create({ reader, pipeline, publishing, clock }: Parts, context: RequestContext) {
  const campaign = await ownCampaign(reader, context.accountId, context.param("campaignId"));
  const { sent, value } = readSentBody(context, creativeCreate);
  const settings = settingsOfNewCreative(value);
  requireTextFits(settings);
  const nowMs = clock();
  const answer = await createOnceByStatements(pipeline, context, sent, (statements) =>
    changeCampaign(statements, campaign.id, async ({ contents }) => {
      const { creatives } = await contents();
      if (creatives.length >= MAX_CREATIVES) throw tooManyCreatives.error();
      await requireFewStored(statements, campaign.id);
      const creative = newCreative(campaign.id, value.creative_type, settings, nowMs);
      return {
        change: {
          writes: [insertParts("creatives", [creative])],
          contents: { creatives: [...creatives, creative] },
          size: { mayGrow: true },
        },
        result: () => ({ status: 201, body: toResponse(creative) }),
      };
    }),
  );
  await publishing.publishEventually("campaign", campaign.id);
  return answer;
}

async function list({ database, reader, barrier }: Parts, context: RequestContext) {
  const campaign = await ownCampaign(reader, context.accountId, context.param("campaignId"));
  const paging = readPaging(context, "crt");
  await barrier.awaitAdvertiser(campaign.advertiserId);
  return pageAnswer(context, paging, await listCreatives(database, campaign.id, paging), toResponse);
}

async function change(parts: Parts, context: RequestContext) {
  const known = await ownBilledCreative(parts.reads, context.accountId, context.param("creativeId"));
  const { id, campaignId } = known;
  const changed = changedSettings(
    context.body((sent) => creativePatch(sent, toResponse(known))),
    known,
  );
  if (Object.keys(changed).length === 0) return { status: 200, body: toResponse(known) };
  const result = await mutateCampaign(parts, campaignId, "publishAndWait", async (locked) => {
    const { before, others } = await creativeOf(locked, id);
    const updated = { ...before, ...changed };
    if (textBytes(updated) > textBytes(before)) requireTextFits(updated);
    const mayGrow = publishedTextBytes(updated) > publishedTextBytes(before);
    return {
      change: {
        writes: [updateCreative(updated)],
        contents: { creatives: [...others, updated] },
        size: { mayGrow },
      },
      result: () => updated,
    };
  });
  return { status: 200, body: toResponse(result) };
}

async function remove(parts: Parts, context: RequestContext) {
  const { pipeline, clock } = parts;
  const { id, campaignId } = await ownCreative(pipeline, context.accountId, context.param("creativeId"));
  await mutateCampaign(parts, campaignId, "publishAndWait", async (locked) => {
    const { others } = await creativeOf(locked, id);
    requireDeletable(locked.current.status, others.length + 1);
    return {
      change: {
        writes: [markDeleted(id, clock())],
        contents: { creatives: others },
        size: { mayGrow: false },
      },
      result: () => undefined,
    };
  });
  return { status: 204 };
}

/** A creative of a locked campaign, and the others. Throws 404 when it was deleted meanwhile. */
async function creativeOf(
  { contents }: LockedCampaign,
  creativeId: string,
): Promise<{ before: Creative; others: Creative[] }> {
  const { creatives } = await contents();
  const before = creatives.find(({ id }) => id === creativeId);
  if (before === undefined) throw noCreative.error();
  return { before, others: creatives.filter((creative) => creative !== before) };
}
