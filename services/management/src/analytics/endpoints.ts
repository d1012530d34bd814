import type { Database } from "@diegetic/database";
import type { Endpoint } from "@diegetic/service-kit";
import { ownCampaign } from "../campaigns/store.ts";
import type { ReadingBarrier } from "../reading-barrier/reading-barrier.ts";
import { presentCampaignStats } from "./presenter.ts";
import { readCampaignStats } from "./store.ts";

export interface AnalyticsParts {
  database: Database;
  barrier: ReadingBarrier;
}

export function analyticsEndpoints(parts: AnalyticsParts): Endpoint[] {
  const common = { group: "analytics", scope: "advertiser", method: "GET" } as const;
  return [{ ...common, path: "/campaigns/:campaignId/stats", handle: stats(parts) }];
}

function stats({ database, barrier }: AnalyticsParts): Endpoint["handle"] {
  return async (context) => {
    const campaign = await ownCampaign(database, context.accountId, context.param("campaignId"));
    await barrier.advertiser(campaign.advertiserId);
    return { status: 200, body: presentCampaignStats(await readCampaignStats(database, campaign.id)) };
  };
}
