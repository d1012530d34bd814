import { DAY_MS, type Database, utcDay } from "@diegetic/database";
import { tryEachLimited } from "./loops/for-each.ts";
import { walletPages } from "./loops/pages.ts";
import type { Releaser } from "./release/releaser.ts";
import type { Sweeper } from "./sweep/sweeper.ts";
import type { DayPartitions } from "./write/day-partitions.ts";

export interface BackstopWalkDependencies {
  database: Database;
  sweeper: Sweeper;
  releaser: Releaser;
  partitions: DayPartitions;
  nowMs: () => number;
  advertisersPerPage?: number;
}

/** Low, so that the walk does not slow down matches. */
export const MAX_CONCURRENT_VISITS = 2;

/**
 * Visits the wallets of every advertiser in Postgres, to find work that a lost due-index entry would hide. Also creates the
 * partitions of the coming two days, so that tomorrow's exists even just after midnight. Neither a failing advertiser nor a
 * missing partition blocks others: the first failure is thrown at the end, or after a page on which all failed.
 */
export async function walkAllAdvertisers(
  dependencies: BackstopWalkDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { database, sweeper, releaser, partitions, nowMs, advertisersPerPage } = dependencies;
  const failures: unknown[] = [];
  const days = [0, 1, 2].map((daysAhead) => utcDay(nowMs() + daysAhead * DAY_MS));
  await partitions.ensure(days).catch((error: unknown) => failures.push(error));
  for await (const page of walletPages(database, advertisersPerPage)) {
    if (signal.aborted) break;
    const failed = await tryEachLimited(page, MAX_CONCURRENT_VISITS, async (walletId) => {
      if (signal.aborted) return;
      await sweeper.sweep(walletId);
      await releaser.releaseLapsed(walletId);
    });
    failures.push(...failed.slice(0, 1));
    // A store is unavailable: the next page would fail as well.
    if (failed.length === page.length) break;
  }
  if (failures.length > 0) throw failures[0];
}
