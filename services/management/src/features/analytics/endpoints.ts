import { pacingOf } from "@diegetic/ad-rules";
import { ANALYTICS_DAYS, analyticsApi, integerParameter } from "@diegetic/contracts";
import { type Database, type Reader, utcDay } from "@diegetic/database";
import type { MoneyCommands } from "@diegetic/hot-state";
import { type Endpoint, endpoint, type RequestContext } from "@diegetic/service-kit";
import { ownCampaign } from "../../core/campaigns/store.ts";
import type { CallerReads } from "../../core/read-your-writes/caller-reads.ts";
import { type Clock, lastDays } from "../../core/shared/time.ts";
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

export interface AnalyticsParts {
  database: Database;
  reader: Reader;
  reads: CallerReads;
  wallets: Pick<MoneyCommands, "readCampaignGames">;
  clock: Clock;
}

export function analyticsEndpoints(parts: AnalyticsParts): Endpoint[] {
  const { stats, daily, creatives, geo, games, affinities, pacing } = analyticsApi.operations;
  return [
    endpoint(stats, answer(parts, campaignStats)),
    endpoint(daily, answer(parts, dailyRows)),
    endpoint(creatives, answer(parts, creativeRows)),
    endpoint(geo, answer(parts, countryRows)),
    endpoint(games, answer(parts, gameRows)),
    endpoint(affinities, answer(parts, affinityRows)),
    endpoint(pacing, answer(parts, pacingNow)),
  ];
}

type Read = (
  requested: RequestedCampaign,
  parts: AnalyticsParts,
  context: RequestContext,
) => Promise<unknown>;

/** Answers for the caller's own campaign, including everything billed before the request. */
function answer(parts: AnalyticsParts, read: Read): Endpoint["handle"] {
  return async (context) => {
    const { accountId } = context;
    const requested = { reads: parts.reads, accountId, campaignId: context.param("campaignId") };
    return { status: 200, body: await read(requested, parts, context) };
  };
}

async function campaignStats(requested: RequestedCampaign) {
  return toCampaignStatsResponse(await readCampaignStats(requested));
}

async function dailyRows(
  requested: RequestedCampaign,
  { reader, clock }: AnalyticsParts,
  context: RequestContext,
) {
  const { accountId, campaignId } = requested;
  let count: number;
  try {
    count = integerParameter("days", context.query, ANALYTICS_DAYS) ?? ANALYTICS_DAYS.default;
  } catch (error) {
    // Checks ownership first (docs/behaviour.md#order-of-checks).
    await ownCampaign(reader, accountId, campaignId);
    throw error;
  }
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

async function gameRows(requested: RequestedCampaign, { wallets, clock }: AnalyticsParts) {
  const { advertiserId, spentMillicents } = await readSpentByGame(requested);
  const games = await wallets.readCampaignGames(advertiserId, requested.campaignId, clock());
  return toGamesResponse(requested.campaignId, spentMillicents, games);
}

async function affinityRows(requested: RequestedCampaign) {
  return toAffinitiesResponse(requested.campaignId, await readAffinityInfluence(requested));
}

async function pacingNow(requested: RequestedCampaign, { clock }: AnalyticsParts) {
  const nowMs = clock();
  const facts = await readPacingFacts(requested, utcDay(nowMs));
  return toPacingResponse(requested.campaignId, facts, pacingOf(facts, nowMs));
}
