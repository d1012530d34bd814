import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ApiError } from "../../api/api-error.ts";
import { callForResponse } from "../../api/call.ts";
import type { AnswerOf, InputOf } from "../../api/operations.ts";
import { apiQueryKey } from "../../api/queries.ts";

type Earnings = AnswerOf<"GET /earnings">;
type Query = NonNullable<InputOf<"GET /earnings">["query"]>;

/** The earnings of a period with the rows of every page: many games for many days are more than one page. */
export function useEarnings(query: Query) {
  return useQuery<Earnings, ApiError>({
    queryKey: apiQueryKey("GET /earnings", { query }),
    queryFn: async ({ signal }) => {
      const rows: Earnings["rows"] = [];
      let cursor: string | undefined;
      for (;;) {
        const input = { query: { ...query, ...(cursor !== undefined && { cursor }) } };
        const response = await callForResponse("GET /earnings", input, { signal });
        const page = (await response.json()) as Earnings;
        rows.push(...page.rows);
        cursor = nextCursor(response.headers.get("Link"));
        if (cursor === undefined) return { ...page, rows };
      }
    },
    placeholderData: keepPreviousData,
  });
}

function nextCursor(link: string | null): string | undefined {
  const address = /<([^>]+)>;\s*rel="next"/.exec(link ?? "")?.[1];
  if (address === undefined) return undefined;
  return new URL(address, location.origin).searchParams.get("cursor") ?? undefined;
}
