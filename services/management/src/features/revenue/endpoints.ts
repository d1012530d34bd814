import { EARNINGS_DAYS, noPlacement, revenueApi, singleParameter } from "@diegetic/contracts";
import { type Reader, utcDay } from "@diegetic/database";
import { type Endpoint, endpoint, type RequestContext } from "@diegetic/service-kit";
import type { CallerReads } from "../../core/read-your-writes/caller-reads.ts";
import type { ReadingBarrier } from "../../core/read-your-writes/reading-barrier.ts";
import { csvAnswer, prefersCsv } from "../../core/shared/csv-answer.ts";
import { readWindow, windowHeaders } from "../../core/shared/paging.ts";
import { type Clock, lastDays } from "../../core/shared/time.ts";
import { readPeriod } from "../ledger/period.ts";
import { isGameId, requireOwner } from "../placements/store.ts";
import {
  NO_ADVERTISERS,
  NO_EARNINGS,
  readEarnings,
  readEarningsByAdvertiser,
  readGameAdvertisers,
} from "./earnings-store.ts";
import { readAdvertiserRevenue, readGameDetails, readGameEarnings, readGameOwner } from "./store.ts";
import {
  advertiserEarningsTable,
  earningsTable,
  toAdvertiserEarningsResponse,
  toCreatorRevenueResponse,
  toEarningsResponse,
  toGameAdvertiserResponse,
  toGameRevenueResponse,
  toRevenueResponse,
} from "./to-response.ts";

/** See docs/behaviour.md#rounding. */
const SHOWN_DAYS = 30;
const TOP_ADVERTISERS = 10;
const ADVERTISER_ID = /^[A-Za-z0-9_-]{1,64}$/;

export interface RevenueParts {
  reader: Reader;
  reads: CallerReads;
  barrier: ReadingBarrier;
  clock: Clock;
}

export function revenueEndpoints(parts: RevenueParts): Endpoint[] {
  const { operations } = revenueApi;
  return [
    endpoint(operations.advertiser, revenue(parts)),
    endpoint(operations.creator, creatorRevenue(parts)),
    endpoint(operations.game, gameRevenue(parts)),
    endpoint(operations.gameAdvertisers, gameAdvertisers(parts)),
    endpoint(operations.earnings, earnings(parts)),
    endpoint(operations.earningsByAdvertiser, earningsByAdvertiser(parts)),
  ];
}

function revenue({ reads }: RevenueParts): Endpoint["handle"] {
  return async (context) => ({
    status: 200,
    body: toRevenueResponse(await readAdvertiserRevenue(reads, context.accountId)),
  });
}

function creatorRevenue({ reader, barrier }: RevenueParts): Endpoint["handle"] {
  return async (context) => {
    await barrier.everyAdvertiser();
    return { status: 200, body: toCreatorRevenueResponse(await readGameEarnings(reader, context.accountId)) };
  };
}

function gameRevenue({ reader, barrier, clock }: RevenueParts): Endpoint["handle"] {
  return async (context) => {
    const { accountId } = context;
    const gameId = context.param("gameId");
    if (!isGameId(gameId)) throw noPlacement.error();
    await barrier.everyAdvertiser();
    const nowMs = clock();
    const days = lastDays(nowMs, SHOWN_DAYS);
    const limits = { maxAdvertisers: TOP_ADVERTISERS, firstDay: days.at(-1) ?? utcDay(nowMs) };
    const details = await readGameDetails(reader, { accountId, gameId }, limits);
    if (details === undefined) throw noPlacement.error();
    requireOwner(details, accountId);
    return { status: 200, body: toGameRevenueResponse(details, days) };
  };
}

function gameAdvertisers({ reader, barrier }: RevenueParts): Endpoint["handle"] {
  return async (context) => {
    const { accountId } = context;
    const gameId = context.param("gameId");
    const owner = isGameId(gameId) ? await readGameOwner(reader, gameId) : undefined;
    if (owner === undefined) throw noPlacement.error();
    requireOwner(owner, accountId);
    const window = readWindow(context);
    await barrier.everyAdvertiser();
    const { rows, hasMore } = await readGameAdvertisers(reader, { accountId, gameId }, window);
    return {
      status: 200,
      body: rows.map(toGameAdvertiserResponse),
      headers: windowHeaders(context, window, hasMore),
    };
  };
}

/** An invalid identifier has no earnings: Postgres would reject some texts. */
function readRequested(context: RequestContext, clock: Clock) {
  const { from, to } = readPeriod(context.query, clock(), EARNINGS_DAYS);
  const gameId = singleParameter("game_id", context.query);
  return {
    accountId: context.accountId,
    from,
    to,
    gameId,
    isNoGame: gameId !== undefined && !isGameId(gameId),
  };
}

function earnings({ reader, barrier, clock }: RevenueParts): Endpoint["handle"] {
  return async (context) => {
    const { isNoGame, ...requested } = readRequested(context, clock);
    const { from, to } = requested;
    const advertiserId = singleParameter("advertiser_id", context.query);
    const isNobody = advertiserId !== undefined && !ADVERTISER_ID.test(advertiserId);
    const window = prefersCsv(context) ? undefined : readWindow(context);
    await barrier.everyAdvertiser();
    const found =
      isNoGame || isNobody ? NO_EARNINGS : await readEarnings(reader, { ...requested, advertiserId }, window);
    if (window === undefined) return csvAnswer(`earnings-${from}-${to}.csv`, earningsTable(found.rows));
    return {
      status: 200,
      body: toEarningsResponse({ from, to }, found),
      headers: { Vary: "Accept", ...windowHeaders(context, window, found.hasMore) },
    };
  };
}

function earningsByAdvertiser({ reader, barrier, clock }: RevenueParts): Endpoint["handle"] {
  return async (context) => {
    const { isNoGame, ...requested } = readRequested(context, clock);
    const { from, to } = requested;
    const window = prefersCsv(context) ? undefined : readWindow(context);
    await barrier.everyAdvertiser();
    const found = isNoGame ? NO_ADVERTISERS : await readEarningsByAdvertiser(reader, requested, window);
    if (window === undefined) {
      return csvAnswer(`earnings-by-advertiser-${from}-${to}.csv`, advertiserEarningsTable(found.rows));
    }
    return {
      status: 200,
      body: toAdvertiserEarningsResponse({ from, to }, found),
      headers: { Vary: "Accept", ...windowHeaders(context, window, found.hasMore) },
    };
  };
}
