import type { Database } from "@diegetic/database";
import type { SliceReports } from "@diegetic/hot-state";
import { tryEachLimited } from "../loops/for-each.ts";
import { pagesOf } from "../loops/pages.ts";

const ADVERTISERS_PER_PAGE = 100;
const MAX_CONCURRENT_ADVERTISERS = 8;

/**
 * Reports to the wallets of advertisers what their slices have spent, and gives back what idle slices were granted
 * (docs/behaviour.md#slices-of-a-wallet). A failure does not block other advertisers: the first is thrown at the end.
 */
export async function reportSliceSpending(
  { database, sliceReports }: { database: Database; sliceReports: SliceReports },
  signal: AbortSignal,
): Promise<void> {
  const failures: unknown[] = [];
  for await (const page of pagesOf((after) => slicedAdvertisers(database, after))) {
    if (signal.aborted) break;
    const failed = await tryEachLimited(page, MAX_CONCURRENT_ADVERTISERS, async ({ id }) => {
      if (!signal.aborted) await sliceReports.reportSpending(id);
    });
    failures.push(...failed.slice(0, 1));
    if (failed.length === page.length) break;
  }
  if (failures.length > 0) throw failures[0];
}

function slicedAdvertisers(database: Database, after: string): Promise<{ id: string }[]> {
  return database.$queryRaw<{ id: string }[]>`
    SELECT id FROM advertisers WHERE wallet_slices > 1 AND id > ${after}
    ORDER BY id LIMIT ${ADVERTISERS_PER_PAGE}`;
}
