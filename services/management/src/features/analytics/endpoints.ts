import { pacingOf } from "@diegetic/ad-rules";
import { ANALYTICS_DAYS, analyticsApi, integerParameter } from "@diegetic/contracts";
import { utcDay } from "@diegetic/database";
import type { RequestContext } from "@diegetic/service-kit";
import { ownCampaign } from "../../core/campaigns/store.ts";
import { readAfter } from "../../core/read-your-writes/caller.ts";
import { lastDays } from "../../core/shared/time.ts";
import { endpointsOf, type Handler } from "../endpoints-of.ts";
import type { Parts } from "../parts.ts";
import { accountCampaigns, accountDaily } from "./account-endpoints.ts";
import { spend } from "./spend-endpoint.ts";
import {
  type RequestedCampaign,
  readAffinityInfluence,
  readCampaignStats,
  readCountries,
  readCreatives,
  readDays,
  readPacingFacts,
  readSpentByGame,
} from "./store.ts";
import {
  toAffinitiesResponse,
  toCampaignStatsResponse,
  toCountriesResponse,
  toCreativesResponse,
  toDaysResponse,
  toGamesResponse,
  toPacingResponse,
} from "./to-response.ts";

export const analyticsEndpoints = endpointsOf(analyticsApi.operations, {
  stats: ofCampaign(campaignStats),
  daily: ofCampaign(dailyRows),
  creatives: ofCampaign(creativeRows),
  geo: ofCampaign(countryRows),
  games: ofCampaign(gameRows),
  affinities: ofCampaign(affinityRows),
  pacing: ofCampaign(pacingNow),
  accountDaily,
  accountCampaigns,
  spend,
});

type Read = (requested: RequestedCampaign, parts: Parts, context: RequestContext) => Promise<unknown>;

/** Answers for the caller's own campaign, including everything billed before the request. */
function ofCampaign(read: Read): Handler {
  return async (parts, context) => {
    const { accountId } = context;
    const requested = { reads: parts.reads, accountId, campaignId: context.param("campaignId") };
    return { status: 200, body: await read(requested, parts, context) };
  };
}

async function campaignStats(requested: RequestedCampaign) {
  return toCampaignStatsResponse(requested.campaignId, await readCampaignStats(requested));
}

async function dailyRows(requested: RequestedCampaign, { reader, clock }: Parts, context: RequestContext) {
  const { accountId, campaignId } = requested;
  const count = await readAfter(
    () => ownCampaign(reader, accountId, campaignId),
    () => integerParameter("days", context.query, ANALYTICS_DAYS) ?? ANALYTICS_DAYS.default,
  );
  const nowMs = clock();
  const days = lastDays(nowMs, count);
  return toDaysResponse(campaignId, days, await readDays(requested, days.at(-1) ?? utcDay(nowMs)));
}

async function creativeRows(requested: RequestedCampaign) {
  return toCreativesResponse(requested.campaignId, await readCreatives(requested));
}

async function countryRows(requested: RequestedCampaign) {
  return toCountriesResponse(requested.campaignId, await readCountries(requested));
}

async function gameRows(requested: RequestedCampaign, { wallets, clock }: Parts) {
  const { advertiserId, spentMillicents } = await readSpentByGame(requested);
  const games = await wallets.readCampaignGames(advertiserId, requested.campaignId, clock());
  return toGamesResponse(requested.campaignId, spentMillicents, games);
}

async function affinityRows(requested: RequestedCampaign) {
  return toAffinitiesResponse(requested.campaignId, await readAffinityInfluence(requested));
}

async function pacingNow(requested: RequestedCampaign, { clock }: Parts) {
  const nowMs = clock();
  const facts = await readPacingFacts(requested, utcDay(nowMs));
  return toPacingResponse(requested.campaignId, facts, pacingOf(facts, nowMs));
}
