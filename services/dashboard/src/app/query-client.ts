import { QueryClient, queryOptions } from "@tanstack/react-query";
import { ApiError } from "../api/api-error.ts";
import { onRefusal, showAccount } from "../api/call.ts";
import { sessionQuery } from "../api/session.ts";

const FRESH_MS = 15_000;
const MAX_RETRIES = 2;

/** What a short outage or a limit refuses is worth another try. */
function isTransient(error: unknown): boolean {
  return error instanceof ApiError && [0, 429, 502, 503, 504].includes(error.status);
}

/** Whether the session acts for another account than the page shows, because another tab has switched. */
export const otherAccountQuery = queryOptions({
  queryKey: ["other-account"],
  queryFn: () => false,
  initialData: false,
  enabled: false,
});

/** The store of all answers. An answer 401 ends the session: the frame then goes to the sign-in page. */
export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        // A local installation answers without a connection: every request is tried, and asked anew with the connection.
        networkMode: "always",
        refetchOnReconnect: true,
        staleTime: FRESH_MS,
        retry: (failures, error) => failures < MAX_RETRIES && isTransient(error),
        retryDelay: (failures, error) =>
          error instanceof ApiError && error.retryAfterSeconds !== undefined
            ? Math.min(error.retryAfterSeconds, 10) * 1000
            : 500 * 2 ** failures,
      },
      mutations: { networkMode: "always" },
    },
  });
  onRefusal((error) => {
    if (error.isOtherAccount) client.setQueryData(otherAccountQuery.queryKey, true);
    if (error.status !== 401) return;
    showAccount(undefined);
    client.setQueryData(sessionQuery.queryKey, null);
  });
  return client;
}
