import { campaignCreate, campaignPatch, campaignsApi } from "@diegetic/contracts";
import { type Database, inTransaction, type Transaction } from "@diegetic/database";
import { conflict, type Endpoint, endpoint, unprocessable } from "@diegetic/service-kit";
import { callingAdvertiser } from "../advertiser/caller.ts";
import { findAdvertiser } from "../advertiser/store.ts";
import { createOnce, readSentBody } from "../idempotency/create-once.ts";
import type { ReadingBarrier } from "../reading-barrier/reading-barrier.ts";
import { pageAnswer, readPaging } from "../shared/paging.ts";
import type { Clock } from "../shared/time.ts";
import { recordCampaignSize } from "../sizes/published-size.ts";
import type { Publishing } from "../snapshot-publishing/publishing.ts";
import { type Campaign, MAX_CAMPAIGNS } from "./campaign.ts";
import { type CeilingCommands, changeSettings } from "./lower-budget.ts";
import { presentCampaign } from "./presenter.ts";
import { activationRefusal, changedSettings, newSettings, pauseRefusal } from "./rules.ts";
import {
  confirmPause,
  countCampaigns,
  findCampaign,
  insertCampaign,
  listCampaigns,
  lockCampaign,
  ownCampaign,
  updateStatus,
} from "./store.ts";

export interface CampaignParts {
  database: Database;
  wallets: CeilingCommands;
  publishing: Publishing;
  barrier: ReadingBarrier;
  clock: Clock;
}

export function campaignEndpoints(parts: CampaignParts): Endpoint[] {
  const { operations } = campaignsApi;
  return [
    endpoint(operations.create, create(parts)),
    endpoint(operations.list, list(parts)),
    endpoint(operations.show, show(parts)),
    endpoint(operations.change, change(parts)),
    endpoint(operations.activate, activate(parts)),
    endpoint(operations.pause, pause(parts)),
  ];
}

function create({ database, publishing, clock }: CampaignParts): Endpoint["handle"] {
  return async (context) => {
    const advertiser = await callingAdvertiser(database, context.accountId);
    const { sent, value } = readSentBody(context, campaignCreate);
    const settings = newSettings(value);
    const nowMs = clock();
    const answer = await createOnce({ database, nowMs }, context, sent, async (transaction) => {
      if ((await countCampaigns(transaction, advertiser.id)) >= MAX_CAMPAIGNS) {
        throw unprocessable(
          `An advertiser has at most ${MAX_CAMPAIGNS} campaigns: change one that is no longer needed.`,
        );
      }
      const campaign = await insertCampaign(transaction, advertiser.id, settings, nowMs);
      await recordCampaignSize(transaction, campaign.id, { mayGrow: true });
      return { status: 201, body: presentCampaign(campaign) };
    });
    await publishing.publishEventually("campaign", answer.body.id);
    return answer;
  };
}

function list({ database, barrier }: CampaignParts): Endpoint["handle"] {
  return async (context) => {
    const advertiser = await callingAdvertiser(database, context.accountId);
    const paging = readPaging(context, "camp");
    await barrier.advertiser(advertiser.id);
    const campaigns = await listCampaigns(database, advertiser.id, paging);
    return pageAnswer(context, paging, campaigns, presentCampaign);
  };
}

function show({ database, barrier }: CampaignParts): Endpoint["handle"] {
  return async (context) => {
    const campaignId = context.param("campaignId");
    const { advertiserId } = await ownCampaign(database, context.accountId, campaignId);
    await barrier.advertiser(advertiserId);
    return { status: 200, body: presentCampaign(await ownCampaign(database, context.accountId, campaignId)) };
  };
}

function change(parts: CampaignParts): Endpoint["handle"] {
  const { database, publishing, barrier } = parts;
  return async (context) => {
    const campaign = await ownCampaign(database, context.accountId, context.param("campaignId"));
    const changed = changedSettings(context.body((sent) => campaignPatch(sent, presentCampaign(campaign))));
    await barrier.advertiser(campaign.advertiserId);
    const result = await changeSettings(parts, campaign.id, changed);
    if (Object.keys(changed).length > 0) await publishing.publishAndWait("campaign", campaign.id);
    return { status: 200, body: presentCampaign(result) };
  };
}

function activate(parts: CampaignParts): Endpoint["handle"] {
  return async (context) => {
    const campaign = await ownCampaign(parts.database, context.accountId, context.param("campaignId"));
    // The balance that decides is the one after every impression that was answered.
    await parts.barrier.advertiser(campaign.advertiserId);
    const changed = await changeStatus(parts, campaign.id, "active", async (transaction, present) => {
      const creatives = await transaction.creative.count({
        where: { campaignId: present.id, deletedAt: null },
      });
      const advertiser = await findAdvertiser(transaction, context.accountId);
      const balance = (advertiser?.depositedMillicents ?? 0) - (advertiser?.spentMillicents ?? 0);
      return activationRefusal(present, creatives, balance);
    });
    await parts.publishing.publishEventually("campaign", campaign.id);
    return { status: 200, body: presentCampaign(changed) };
  };
}

function pause(parts: CampaignParts): Endpoint["handle"] {
  const { database, publishing, barrier } = parts;
  return async (context) => {
    const campaign = await ownCampaign(database, context.accountId, context.param("campaignId"));
    const paused = await storePause(parts, campaign.id);
    await publishing.publishAndWait("campaign", campaign.id);
    await confirmPause(database, paused);
    await barrier.advertiser(campaign.advertiserId);
    const changed = await findCampaign(database, campaign.id);
    return { status: 200, body: presentCampaign({ ...changed, status: "paused" }) };
  };
}

/** Pauses a campaign; one whose pause was stored by a request that was answered 503 is left as it is. Throws 409. */
function storePause({ database, clock }: CampaignParts, id: string): Promise<Campaign> {
  return inTransaction(database, async (transaction) => {
    const present = await lockCampaign(transaction, id);
    if (present.status === "paused" && present.pausePending) return present;
    const refusal = pauseRefusal(present);
    if (refusal !== undefined) throw conflict(refusal);
    return updateStatus(transaction, id, "paused", clock());
  });
}

async function changeStatus(
  { database, clock }: CampaignParts,
  id: string,
  status: "active",
  refusalOf: (transaction: Transaction, present: Campaign) => Promise<string | undefined>,
): Promise<Campaign> {
  return inTransaction(database, async (transaction) => {
    const refusal = await refusalOf(transaction, await lockCampaign(transaction, id));
    if (refusal !== undefined) throw conflict(refusal);
    return updateStatus(transaction, id, status, clock());
  });
}
