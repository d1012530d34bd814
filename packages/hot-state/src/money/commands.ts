import type { RedisConnection } from "../connection.ts";
import { createBacklogCommands } from "./backlog.ts";
import { createReadCampaignGames, createReadDeveloperHolds } from "./campaign-games.ts";
import { createHoldCommands, DEFAULT_IMPRESSION_TIMES, type ImpressionTimes } from "./holds.ts";
import { createRecoveryCommands } from "./recovery.ts";
import { createTotalsCommands } from "./totals.ts";
import type { MoneyCommands } from "./types.ts";

export function createMoneyCommands(
  redis: RedisConnection,
  times: ImpressionTimes = DEFAULT_IMPRESSION_TIMES,
): MoneyCommands {
  return {
    ...createHoldCommands(redis, times),
    ...createTotalsCommands(redis),
    ...createBacklogCommands(redis),
    ...createRecoveryCommands(redis),
    readCampaignGames: createReadCampaignGames(redis),
    readDeveloperHolds: createReadDeveloperHolds(redis),
  };
}
