import { QueryClient, queryOptions } from "@tanstack/react-query";
import { onRefusal, showAccount } from "../api/call.ts";
import { retryReads } from "../api/retry.ts";
import { sessionQuery } from "../api/session.ts";

const FRESH_MS = 15_000;

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
        ...retryReads,
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
