import {
  campaignBulkRequest,
  campaignCreate,
  campaignPatch,
  campaignsApi,
  MAX_CAMPAIGNS,
  tooManyCampaigns,
} from "@diegetic/contracts";
import { Prisma } from "@diegetic/database";
import type { RequestContext } from "@diegetic/service-kit";
import { settingsIn } from "../../core/campaign-rows/campaign.ts";
import { type LockedCampaign, mutateCampaign } from "../../core/campaigns/mutate-campaign.ts";
import { recordCampaignSize } from "../../core/campaigns/published-size.ts";
import { confirmPause, listCampaigns, ownBilledCampaign, ownCampaign } from "../../core/campaigns/store.ts";
import { createOnceByStatements, readSentBody } from "../../core/idempotency/create-once.ts";
import { callingAdvertiser } from "../../core/read-your-writes/caller.ts";
import { listAnswer, type Paging, readPaging } from "../../core/shared/paging.ts";
import { endpointsOf } from "../endpoints-of.ts";
import type { Parts } from "../parts.ts";
import { type BulkItem, isToBeActive, readBulkItem, storeBulk } from "./bulk.ts";
import { changeSettings } from "./change-settings.ts";
import { countCampaigns, insertCampaigns, newCampaign, noContents } from "./new-campaigns.ts";
import { requireActivatable, requirePausable, settingsOfNewCampaign } from "./rules.ts";
import { toCampaignResponse } from "./to-response.ts";

export const campaignEndpoints = endpointsOf(campaignsApi.operations, {
  create,
  createMany,
  list,
  show,
  change,
  activate,
  pause,
});

async function create({ database, pipeline, publishing, clock }: Parts, context: RequestContext) {
  const advertiser = await callingAdvertiser(database, context.accountId);
  const { sent, value } = readSentBody(context, campaignCreate);
  const settings = settingsOfNewCampaign(value);
  const nowMs = clock();
  const answer = await createOnceByStatements(pipeline, context, sent, async (statements) => {
    if ((await countCampaigns(statements, advertiser.id)) >= MAX_CAMPAIGNS) {
      throw tooManyCampaigns.error();
    }
    const campaign = { ...newCampaign(advertiser.id, settings, nowMs), ...noContents };
    const publishedBytes = await recordCampaignSize(statements, campaign, { mayGrow: true });
    insertCampaigns(statements, [{ ...campaign, publishedBytes }]);
    return { status: 201, body: toCampaignResponse(campaign) };
  });
  await publishing.publishEventually("campaign", answer.body.id);
  return answer;
}

/** Campaigns of a bulk request that count as one request (docs/behaviour.md#rate-limits). */
const BULK_CAMPAIGNS_PER_REQUEST = 100;

async function createMany(
  { database, pipeline, publishing, barrier, clock }: Parts,
  context: RequestContext,
) {
  const { id: advertiserId } = await callingAdvertiser(database, context.accountId);
  const { sent, value } = readSentBody(context, campaignBulkRequest);
  await context.countAs(Math.ceil(value.campaigns.length / BULK_CAMPAIGNS_PER_REQUEST));
  // As for a single activation, the balance that decides is the one after every impression that was answered.
  if (value.campaigns.some(isToBeActive)) await barrier.awaitAdvertiser(advertiserId);
  const nowMs = clock();
  const owner = { advertiserId, accountId: context.accountId };
  const answer = await createOnceByStatements(pipeline, context, sent, async (statements) => {
    const items = value.campaigns.map((one): BulkItem => readBulkItem(one, advertiserId, nowMs));
    const body = await storeBulk(statements, owner, items);
    return { status: 200, body, isRefusal: body.results.every(({ campaign }) => campaign === undefined) };
  });
  const created = answer.body.results.flatMap(({ campaign }) =>
    campaign === undefined ? [] : [campaign.id],
  );
  await Promise.all(created.map((id) => publishing.publishEventually("campaign", id)));
  return answer;
}

async function list({ database, barrier }: Parts, context: RequestContext) {
  const advertiser = await callingAdvertiser(database, context.accountId);
  const paging = readPaging(context, "camp");
  await barrier.awaitAdvertiser(advertiser.id);
  const read = (page: Paging) => listCampaigns(database, advertiser.id, page);
  return listAnswer(context, paging, read, ({ id }) => id, toCampaignResponse);
}

async function show({ reads }: Parts, context: RequestContext) {
  const campaign = await ownBilledCampaign(reads, context.accountId, context.param("campaignId"));
  return { status: 200, body: toCampaignResponse(campaign) };
}

async function change(parts: Parts, context: RequestContext) {
  const campaign = await ownBilledCampaign(parts.reads, context.accountId, context.param("campaignId"));
  const changed = settingsIn(context.body((sent) => campaignPatch(sent, toCampaignResponse(campaign))));
  if (Object.keys(changed).length === 0) return { status: 200, body: toCampaignResponse(campaign) };
  const result = await changeSettings(parts, campaign, changed);
  await parts.publishing.publishAndWait("campaign", campaign.id);
  return { status: 200, body: toCampaignResponse(result) };
}

async function activate(parts: Parts, context: RequestContext) {
  // The balance that decides is the one after every impression that was answered.
  const { id } = await ownBilledCampaign(parts.reads, context.accountId, context.param("campaignId"));
  const activated = await mutateCampaign(parts, id, "publishEventually", async (locked) => {
    const { creatives, balanceMillicents } = await activationFacts(locked);
    requireActivatable(locked.current, creatives, balanceMillicents);
    const active = { status: "active", pausePending: false } as const;
    return {
      change: { campaign: active, activatedAt: new Date(parts.clock()) },
      result: (campaign) => campaign,
    };
  });
  return { status: 200, body: toCampaignResponse(activated) };
}

async function activationFacts({
  current,
  statements,
}: LockedCampaign): Promise<{ creatives: number; balanceMillicents: number }> {
  const [facts] = await statements.query<{ creatives: number; balance: bigint }>(Prisma.sql`
    SELECT (SELECT count(*)::integer FROM creatives WHERE campaign_id = ${current.id} AND deleted_at IS NULL) AS creatives,
      deposited_millicents - spent_millicents AS balance
    FROM advertisers WHERE id = ${current.advertiserId}`);
  return { creatives: facts?.creatives ?? 0, balanceMillicents: Number(facts?.balance ?? 0) };
}

async function pause(parts: Parts, context: RequestContext) {
  const { pipeline, reader, reads } = parts;
  const { id } = await ownCampaign(reader, context.accountId, context.param("campaignId"));
  const paused = await mutateCampaign(parts, id, "publishAndWait", ({ current }) => {
    const result = (campaign: typeof current) => campaign;
    // A pause that was stored by a request that was answered 503 is left as it is.
    if (current.status === "paused" && current.pausePending) return { result };
    requirePausable(current);
    return { change: { campaign: { status: "paused", pausePending: true } }, result };
  });
  const changed = await ownBilledCampaign(reads, context.accountId, id);
  // Last: a confirmed pause is 409 when it is repeated, which a failed answer invites.
  await confirmPause(pipeline, paused);
  return { status: 200, body: toCampaignResponse({ ...changed, status: "paused" }) };
}
