import { type CreativeBody, creativeCreate, creativePatch, creativesApi } from "@diegetic/contracts";
import { type Database, inTransaction } from "@diegetic/database";
import { conflict, type Endpoint, endpoint, unprocessable } from "@diegetic/service-kit";
import { bumpVersion, lockCampaign, ownCampaign } from "../campaigns/store.ts";
import { createOnce, readSentBody } from "../idempotency/create-once.ts";
import type { ReadingBarrier } from "../reading-barrier/reading-barrier.ts";
import { pageAnswer, readPaging } from "../shared/paging.ts";
import { type Clock, timestamp } from "../shared/time.ts";
import { recordCampaignSize } from "../sizes/published-size.ts";
import type { Publishing } from "../snapshot-publishing/publishing.ts";
import {
  type Creative,
  changedSettings,
  deletionRefusal,
  MAX_CREATIVES,
  newSettings,
  publishedTextBytes,
  requireTextFits,
  textBytes,
} from "./creative.ts";
import {
  countCreatives,
  insertCreative,
  listCreatives,
  markDeleted,
  ownCreative,
  updateCreative,
} from "./store.ts";

export interface CreativeParts {
  database: Database;
  publishing: Publishing;
  barrier: ReadingBarrier;
  clock: Clock;
}

export function creativeEndpoints(parts: CreativeParts): Endpoint[] {
  const { operations } = creativesApi;
  return [
    endpoint(operations.create, create(parts)),
    endpoint(operations.list, list(parts)),
    endpoint(operations.change, change(parts)),
    endpoint(operations.remove, remove(parts)),
  ];
}

function present(creative: Creative): CreativeBody {
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

function create({ database, publishing, clock }: CreativeParts): Endpoint["handle"] {
  return async (context) => {
    const campaign = await ownCampaign(database, context.accountId, context.param("campaignId"));
    const { sent, value } = readSentBody(context, creativeCreate);
    const settings = newSettings(value);
    requireTextFits(settings);
    const nowMs = clock();
    const answer = await createOnce({ database, nowMs }, context, sent, async (transaction) => {
      await lockCampaign(transaction, campaign.id);
      if ((await countCreatives(transaction, campaign.id)) >= MAX_CREATIVES) {
        throw unprocessable(`A campaign has at most ${MAX_CREATIVES} creatives: delete one first.`);
      }
      const creative = await insertCreative(transaction, campaign.id, value.creative_type, settings, nowMs);
      await recordCampaignSize(transaction, campaign.id, { mayGrow: true });
      await bumpVersion(transaction, campaign.id);
      return { status: 201, body: present(creative) };
    });
    await publishing.publishEventually("campaign", campaign.id);
    return answer;
  };
}

function list({ database, barrier }: CreativeParts): Endpoint["handle"] {
  return async (context) => {
    const campaign = await ownCampaign(database, context.accountId, context.param("campaignId"));
    const paging = readPaging(context, "crt");
    await barrier.advertiser(campaign.advertiserId);
    return pageAnswer(context, paging, await listCreatives(database, campaign.id, paging), present);
  };
}

function change({ database, publishing, barrier }: CreativeParts): Endpoint["handle"] {
  return async (context) => {
    const creative = await ownCreative(database, context.accountId, context.param("creativeId"));
    const changed = changedSettings(
      context.body((sent) => creativePatch(sent, present(creative))),
      creative,
    );
    await barrier.advertiser(creative.advertiserId);
    if (Object.keys(changed).length === 0) {
      return { status: 200, body: present(await ownCreative(database, context.accountId, creative.id)) };
    }
    const result = await inTransaction(database, async (transaction) => {
      await lockCampaign(transaction, creative.campaignId);
      const { before, updated } = await updateCreative(transaction, creative.id, changed);
      if (textBytes(updated) > textBytes(before)) requireTextFits(updated);
      const mayGrow = publishedTextBytes(updated) > publishedTextBytes(before);
      await recordCampaignSize(transaction, creative.campaignId, { mayGrow });
      await bumpVersion(transaction, creative.campaignId);
      return updated;
    });
    await publishing.publishAndWait("campaign", creative.campaignId);
    return { status: 200, body: present(result) };
  };
}

function remove({ database, publishing, clock }: CreativeParts): Endpoint["handle"] {
  return async (context) => {
    const creative = await ownCreative(database, context.accountId, context.param("creativeId"));
    await inTransaction(database, async (transaction) => {
      const campaign = await lockCampaign(transaction, creative.campaignId);
      const creatives = await countCreatives(transaction, campaign.id);
      await markDeleted(transaction, creative.id, clock());
      const refusal = deletionRefusal(campaign.status, creatives);
      if (refusal !== undefined) throw conflict(refusal);
      await recordCampaignSize(transaction, campaign.id, { mayGrow: false });
      await bumpVersion(transaction, campaign.id);
    });
    await publishing.publishAndWait("campaign", creative.campaignId);
    return { status: 204 };
  };
}
