import type { RedisConnection } from "../connection.ts";
import { createBacklogCommands } from "./backlog.ts";
import { createReadCampaignGames, createReadDeveloperHolds } from "./campaign-games.ts";
import { createCommit, createSliceOfOperation } from "./commit.ts";
import { createRelease } from "./holds.ts";
import { DEFAULT_IMPRESSION_TIMES, type ImpressionTimes, requireTimes } from "./impression-times.ts";
import { createRecoveryCommands } from "./recovery.ts";
import { createReserve } from "./reserve.ts";
import { createSettingsCommands } from "./settings.ts";
import { createTotalsCommands } from "./totals.ts";
import type { MoneyCommands } from "./types.ts";

export function createMoneyCommands(
  redis: RedisConnection,
  times: ImpressionTimes = DEFAULT_IMPRESSION_TIMES,
): MoneyCommands {
  requireTimes(times);
  return {
    reserve: createReserve(redis, times),
    commit: createCommit(redis, times),
    sliceOfOperation: createSliceOfOperation(redis),
    release: createRelease(redis),
    ...createSettingsCommands(redis),
    ...createTotalsCommands(redis),
    ...createBacklogCommands(redis),
    ...createRecoveryCommands(redis),
    readCampaignGames: createReadCampaignGames(redis),
    readDeveloperHolds: createReadDeveloperHolds(redis),
  };
}
