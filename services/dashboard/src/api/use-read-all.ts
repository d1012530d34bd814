import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { ApiError } from "./api-error.ts";
import { type CallOptions, callForResponse } from "./call.ts";
import { nextCursor } from "./link.ts";
import type { AnswerOf, InputOf, ReadKey } from "./operations.ts";

type AnyCall = (key: string, input: unknown, options: CallOptions) => Promise<Response>;
const anyCall = callForResponse as unknown as AnyCall;

interface ReadAllOptions {
  /** Asks only when true. */
  enabled?: boolean;
  /** Asks again after this time while the page is looked at. */
  refetchEveryMs?: number;
}

/** As `useRead`, over every page of the answer: pages show sums and filters, and those need all rows. */
export function useReadAll<Key extends ReadKey>(
  key: Key,
  input: InputOf<Key>,
  /** Joins the answer so far with that of the next page. */
  join: (sofar: AnswerOf<Key>, next: AnswerOf<Key>) => AnswerOf<Key>,
  { enabled, refetchEveryMs }: ReadAllOptions = {},
): UseQueryResult<AnswerOf<Key>, ApiError> {
  return useQuery<AnswerOf<Key>, ApiError>({
    queryKey: [key, input, "all pages"],
    queryFn: async ({ signal }) => {
      const { query = {} } = input as { query?: object };
      const read = async (cursor?: string) => {
        const page = { ...input, query: { ...query, cursor } } as unknown as InputOf<Key>;
        const response = await anyCall(key, page, { signal });
        const next = nextCursor(response.headers.get("Link"));
        return { answer: (await response.json()) as AnswerOf<Key>, next };
      };
      let { answer, next } = await read();
      while (next !== undefined) {
        const page = await read(next);
        answer = join(answer, page.answer);
        next = page.next;
      }
      return answer;
    },
    placeholderData: (previous: AnswerOf<Key> | undefined) => previous,
    ...(enabled !== undefined && { enabled }),
    ...(refetchEveryMs !== undefined && { refetchInterval: refetchEveryMs }),
  });
}
