import { EARNINGS_DAYS, noPlacement, revenueApi, textParameter } from "@diegetic/contracts";
import { utcDay } from "@diegetic/database";
import { isPlainName } from "@diegetic/hot-state";
import type { RequestContext } from "@diegetic/service-kit";
import { prefersCsv, readTableWindow, tableAnswer } from "../../core/shared/csv.ts";
import { readWindow, windowAnswer } from "../../core/shared/paging.ts";
import { readPeriod } from "../../core/shared/period.ts";
import { type Clock, lastDays } from "../../core/shared/time.ts";
import { endpointsOf } from "../endpoints-of.ts";
import type { Parts } from "../parts.ts";
import { isGameId, requireOwner } from "../placements/store.ts";
import {
  NO_EARNINGS,
  readEarnings,
  readEarningsByAdvertiser,
  readGameAdvertisers,
} from "./earnings-store.ts";
import { readAdvertiserRevenue, readGameDetails, readGameEarnings, readGameOwner } from "./store.ts";
import {
  ADVERTISER_EARNINGS_COLUMNS,
  EARNINGS_COLUMNS,
  toAdvertiserEarningsResponse,
  toCreatorRevenueResponse,
  toEarningsResponse,
  toGameAdvertiserResponse,
  toGameRevenueResponse,
  toRevenueResponse,
} from "./to-response.ts";

/** See docs/behaviour.md#rounding. */
const SHOWN_DAYS = 30;
const MAX_TOP_ADVERTISERS = 10;

export const revenueEndpoints = endpointsOf(revenueApi.operations, {
  advertiser: revenue,
  creator: creatorRevenue,
  game: gameRevenue,
  gameAdvertisers,
  earnings,
  earningsByAdvertiser,
});

async function revenue({ reads }: Parts, context: RequestContext) {
  return {
    status: 200,
    body: toRevenueResponse(await readAdvertiserRevenue(reads, context.accountId)),
  };
}

async function creatorRevenue({ reader, barrier }: Parts, context: RequestContext) {
  await barrier.awaitEveryAdvertiser();
  return { status: 200, body: toCreatorRevenueResponse(await readGameEarnings(reader, context.accountId)) };
}

async function gameRevenue({ reader, barrier, clock }: Parts, context: RequestContext) {
  const { accountId } = context;
  const gameId = context.param("gameId");
  if (!isGameId(gameId)) throw noPlacement.error();
  await barrier.awaitEveryAdvertiser();
  const nowMs = clock();
  const days = lastDays(nowMs, SHOWN_DAYS);
  const limits = { maxAdvertisers: MAX_TOP_ADVERTISERS, firstDay: days.at(-1) ?? utcDay(nowMs) };
  const details = await readGameDetails(reader, { accountId, gameId }, limits);
  if (details === undefined) throw noPlacement.error();
  requireOwner(details, accountId);
  return { status: 200, body: toGameRevenueResponse(details, days) };
}

async function gameAdvertisers({ reader, barrier }: Parts, context: RequestContext) {
  const { accountId } = context;
  const gameId = context.param("gameId");
  const owner = isGameId(gameId) ? await readGameOwner(reader, gameId) : undefined;
  if (owner === undefined) throw noPlacement.error();
  requireOwner(owner, accountId);
  const window = readWindow(context);
  await barrier.awaitEveryAdvertiser();
  const { rows, hasMore } = await readGameAdvertisers(reader, { accountId, gameId }, window);
  return windowAnswer(context, window, { body: rows.map(toGameAdvertiserResponse), hasMore });
}

/** An invalid identifier has no earnings: Postgres would reject some texts. */
function readRequested(context: RequestContext, clock: Clock) {
  const { from, to } = readPeriod(context.query, clock(), EARNINGS_DAYS);
  const gameId = textParameter("game_id", context.query);
  return {
    accountId: context.accountId,
    from,
    to,
    gameId,
    isNoGame: gameId !== undefined && !isGameId(gameId),
  };
}

async function earnings({ reader, barrier, clock }: Parts, context: RequestContext) {
  const { isNoGame, ...requested } = readRequested(context, clock);
  const { from, to } = requested;
  const advertiserId = textParameter("advertiser_id", context.query);
  const isNobody = advertiserId !== undefined && !isPlainName(advertiserId);
  const window = readTableWindow(context);
  await barrier.awaitEveryAdvertiser();
  const found =
    isNoGame || isNobody ? NO_EARNINGS : await readEarnings(reader, { ...requested, advertiserId }, window);
  return tableAnswer(context, window, found, {
    fileName: `earnings-${from}-${to}.csv`,
    columns: EARNINGS_COLUMNS,
    toBody: () => toEarningsResponse({ from, to }, found),
  });
}

async function earningsByAdvertiser({ reader, barrier, clock }: Parts, context: RequestContext) {
  const { isNoGame, ...requested } = readRequested(context, clock);
  const { from, to } = requested;
  const window = readTableWindow(context);
  await barrier.awaitEveryAdvertiser();
  const query = { ...requested, hasBrands: !prefersCsv(context) };
  const found = isNoGame ? NO_EARNINGS : await readEarningsByAdvertiser(reader, query, window);
  return tableAnswer(context, window, found, {
    fileName: `earnings-by-advertiser-${from}-${to}.csv`,
    columns: ADVERTISER_EARNINGS_COLUMNS,
    toBody: () => toAdvertiserEarningsResponse({ from, to }, found),
  });
}
