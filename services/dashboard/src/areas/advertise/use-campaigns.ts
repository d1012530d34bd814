import type { AnswerOf } from "../../api/operations.ts";
import { useReadAll } from "../../api/use-read-all.ts";

type Campaigns = AnswerOf<"GET /analytics/campaigns">;

const PAGE = { query: { days: 14, limit: 500 } };

const join = (sofar: Campaigns, next: Campaigns): Campaigns => ({
  ...sofar,
  campaigns: [...sofar.campaigns, ...next.campaigns],
});

/** The largest account has 5 000 campaigns: ten pages, within its rate limit. */
const REFETCH_MS = 120_000;

/** All campaigns of the account with their last 14 days: sums, filters and the search need every row. */
export function useCampaigns(options: { enabled?: boolean } = {}) {
  return useReadAll("GET /analytics/campaigns", PAGE, join, { ...options, refetchEveryMs: REFETCH_MS });
}
