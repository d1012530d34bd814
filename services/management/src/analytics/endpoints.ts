import { pacingOf } from "@diegetic/ad-rules";
import { ANALYTICS_DAYS, analyticsApi, integerParameter } from "@diegetic/contracts";
import { type Database, utcDay } from "@diegetic/database";
import { type Endpoint, endpoint, type RequestContext } from "@diegetic/service-kit";
import { ownCampaign } from "../campaigns/store.ts";
import type { ReadingBarrier } from "../reading-barrier/reading-barrier.ts";
import { type Clock, lastDays } from "../shared/time.ts";
import {
  presentAffinities,
  presentCampaignStats,
  presentCountries,
  presentCreatives,
  presentDays,
  presentPacing,
} from "./presenter.ts";
import {
  readAffinityInfluence,
  readAllCreatives,
  readBreakdown,
  readCampaignStats,
  readPacingFacts,
} from "./store.ts";

export interface AnalyticsParts {
  database: Database;
  barrier: ReadingBarrier;
  clock: Clock;
}

export function analyticsEndpoints(parts: AnalyticsParts): Endpoint[] {
  const { stats, daily, creatives, geo, affinities, pacing } = analyticsApi.operations;
  return [
    endpoint(stats, answer(parts, campaignStats)),
    endpoint(daily, answer(parts, dailyRows)),
    endpoint(creatives, answer(parts, creativeRows)),
    endpoint(geo, answer(parts, countryRows)),
    endpoint(affinities, answer(parts, affinityRows)),
    endpoint(pacing, answer(parts, pacingNow)),
  ];
}

/** Answers for the caller's own campaign, when what was billed before the request is written. */
function answer(
  parts: AnalyticsParts,
  read: (parts: AnalyticsParts, campaignId: string, context: RequestContext) => Promise<unknown>,
): Endpoint["handle"] {
  return async (context) => {
    const campaign = await ownCampaign(parts.database, context.accountId, context.param("campaignId"));
    await parts.barrier.advertiser(campaign.advertiserId);
    return { status: 200, body: await read(parts, campaign.id, context) };
  };
}

async function campaignStats({ database }: AnalyticsParts, id: string) {
  return presentCampaignStats(await readCampaignStats(database, id));
}

async function dailyRows({ database, clock }: AnalyticsParts, id: string, { query }: RequestContext) {
  const asked = integerParameter("days", query, ANALYTICS_DAYS);
  const days = lastDays(clock(), asked ?? ANALYTICS_DAYS.default);
  return presentDays(id, days, await readBreakdown(database, id, "day", days.at(-1)));
}

async function creativeRows({ database }: AnalyticsParts, id: string) {
  const byCreative = await readBreakdown(database, id, "creative");
  // Read afterwards: every creative that had impressions is among them.
  return presentCreatives(id, await readAllCreatives(database, id), byCreative);
}

async function countryRows({ database }: AnalyticsParts, id: string) {
  return presentCountries(id, await readBreakdown(database, id, "country"));
}

async function affinityRows({ database }: AnalyticsParts, id: string) {
  return presentAffinities(id, await readAffinityInfluence(database, id));
}

async function pacingNow({ database, clock }: AnalyticsParts, id: string) {
  const nowMs = clock();
  const facts = await readPacingFacts(database, id, utcDay(nowMs));
  return presentPacing(id, facts, pacingOf(facts, nowMs));
}
