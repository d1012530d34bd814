import { revenueApi } from "@diegetic/contracts";
import { type Database, utcDay } from "@diegetic/database";
import { type Endpoint, endpoint, notFound } from "@diegetic/service-kit";
import { callingAdvertiser } from "../advertiser/caller.ts";
import { ownPlacement } from "../placements/store.ts";
import type { ReadingBarrier } from "../reading-barrier/reading-barrier.ts";
import { type Clock, lastDays } from "../shared/time.ts";
import { presentCreatorRevenue, presentGameRevenue, presentRevenue } from "./presenter.ts";
import { readAdvertiserRevenue, readGameDetails, readGameEarnings } from "./store.ts";

/** semantics: Earnings rows. */
const SHOWN_DAYS = 30;
const TOP_ADVERTISERS = 10;

export interface RevenueParts {
  database: Database;
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

function revenue({ database, barrier }: RevenueParts): Endpoint["handle"] {
  return async (context) => {
    const { id } = await callingAdvertiser(database, context.accountId);
    await barrier.advertiser(id);
    return { status: 200, body: presentRevenue(await readAdvertiserRevenue(database, id)) };
  };
}

function creatorRevenue({ database, barrier }: RevenueParts): Endpoint["handle"] {
  return async (context) => {
    await barrier.everyAdvertiser();
    return {
      status: 200,
      body: presentCreatorRevenue(await readGameEarnings(database, context.accountId)),
    };
  };
}

function gameRevenue({ database, barrier, clock }: RevenueParts): Endpoint["handle"] {
  return async (context) => {
    const { gameId, accountId } = await ownPlacement(database, context.accountId, context.param("gameId"));
    await barrier.everyAdvertiser();
    const days = lastDays(clock(), SHOWN_DAYS);
    const details = await readGameDetails(
      database,
      { accountId, gameId },
      { mostAdvertisers: TOP_ADVERTISERS, firstDay: days.at(-1) ?? utcDay(clock()) },
    );
    if (details === undefined)
      throw notFound("There is no placement for this game: enable one by POST /placements/{game_id}.");
    return { status: 200, body: presentGameRevenue(details, days) };
  };
}
