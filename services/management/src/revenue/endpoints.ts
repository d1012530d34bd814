import { revenueApi } from "@diegetic/contracts";
import { type Reader, utcDay } from "@diegetic/database";
import { type Endpoint, endpoint } from "@diegetic/service-kit";
import { isGameId, noPlacement, requireOwner } from "../placements/store.ts";
import type { CallerReads } from "../reading-barrier/caller-reads.ts";
import type { ReadingBarrier } from "../reading-barrier/reading-barrier.ts";
import { type Clock, lastDays } from "../shared/time.ts";
import { presentCreatorRevenue, presentGameRevenue, presentRevenue } from "./presenter.ts";
import { readAdvertiserRevenue, readGameDetails, readGameEarnings } from "./store.ts";

/** See docs/behaviour.md#rounding. */
const SHOWN_DAYS = 30;
const TOP_ADVERTISERS = 10;

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
  ];
}

function revenue({ reads }: RevenueParts): Endpoint["handle"] {
  return async (context) => ({
    status: 200,
    body: presentRevenue(await readAdvertiserRevenue(reads, context.accountId)),
  });
}

function creatorRevenue({ reader, barrier }: RevenueParts): Endpoint["handle"] {
  return async (context) => {
    await barrier.everyAdvertiser();
    return { status: 200, body: presentCreatorRevenue(await readGameEarnings(reader, context.accountId)) };
  };
}

function gameRevenue({ reader, barrier, clock }: RevenueParts): Endpoint["handle"] {
  return async (context) => {
    const { accountId } = context;
    const gameId = context.param("gameId");
    if (!isGameId(gameId)) throw noPlacement();
    await barrier.everyAdvertiser();
    const nowMs = clock();
    const days = lastDays(nowMs, SHOWN_DAYS);
    const shown = { mostAdvertisers: TOP_ADVERTISERS, firstDay: days.at(-1) ?? utcDay(nowMs) };
    const details = await readGameDetails(reader, { accountId, gameId }, shown);
    if (details === undefined) throw noPlacement();
    requireOwner(details, accountId);
    return { status: 200, body: presentGameRevenue(details, days) };
  };
}
