import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "../api/api-error.ts";
import { sessionQuery } from "../api/session.ts";

const FRESH_MS = 15_000;
const MAX_RETRIES = 2;

/** What a short outage or a limit refuses is worth another try. */
function isTransient(error: unknown): boolean {
  return error instanceof ApiError && [0, 429, 502, 503, 504].includes(error.status);
}

/** The store of all answers. An answer 401 ends the session: the frame then goes to the sign-in page. */
export function createQueryClient(): QueryClient {
  const noteEnd = (error: unknown) => {
    if (error instanceof ApiError && error.status === 401) client.setQueryData(sessionQuery.queryKey, null);
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError: noteEnd }),
    mutationCache: new MutationCache({ onError: noteEnd }),
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        retry: (failures, error) => failures < MAX_RETRIES && isTransient(error),
        retryDelay: (failures, error) =>
          error instanceof ApiError && error.retryAfterSeconds !== undefined
            ? Math.min(error.retryAfterSeconds, 10) * 1000
            : 500 * 2 ** failures,
      },
    },
  });
  return client;
}
