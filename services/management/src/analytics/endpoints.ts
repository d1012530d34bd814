import { analyticsApi } from "@diegetic/contracts";
import type { Database } from "@diegetic/database";
import { type Endpoint, endpoint } from "@diegetic/service-kit";
import { ownCampaign } from "../campaigns/store.ts";
import type { ReadingBarrier } from "../reading-barrier/reading-barrier.ts";
import { presentCampaignStats } from "./presenter.ts";
import { readCampaignStats } from "./store.ts";

export interface AnalyticsParts {
  database: Database;
  barrier: ReadingBarrier;
}

export function analyticsEndpoints(parts: AnalyticsParts): Endpoint[] {
  return [endpoint(analyticsApi.operations.stats, stats(parts))];
}

function stats({ database, barrier }: AnalyticsParts): Endpoint["handle"] {
  return async (context) => {
    const campaign = await ownCampaign(database, context.accountId, context.param("campaignId"));
    await barrier.advertiser(campaign.advertiserId);
    return { status: 200, body: presentCampaignStats(await readCampaignStats(database, campaign.id)) };
  };
}
