import { joinListsIn, useReadAll } from "../../api/use-read-all.ts";

const PAGE = { query: { days: 14, limit: 500 } };

/** The largest account has 5 000 campaigns: ten pages, within its rate limit. */
const REFETCH_MS = 120_000;

/** All campaigns of the account with their last 14 days: sums, filters and the search need every row. */
export function useCampaigns(options: { enabled?: boolean } = {}) {
  return useReadAll("GET /analytics/campaigns", PAGE, joinListsIn("campaigns"), {
    ...options,
    refetchEveryMs: REFETCH_MS,
  });
}
