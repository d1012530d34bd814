import { listRefetchMs, PAGE_ROWS } from "../../api/refetch-times.ts";
import { joinListsIn, useReadAll } from "../../api/use-read-all.ts";

const PAGE = { query: { days: 14, limit: PAGE_ROWS } };

/** All campaigns of the account with their last 14 days: sums, filters and the search need every row. */
export function useCampaigns(options: { enabled?: boolean } = {}) {
  return useReadAll("GET /analytics/campaigns", PAGE, joinListsIn("campaigns"), {
    ...options,
    refetchEveryMs: ({ campaigns }) => listRefetchMs(campaigns.length),
  });
}
