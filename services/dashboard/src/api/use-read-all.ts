import {
  type InfiniteData,
  keepPreviousData,
  type UseInfiniteQueryResult,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
} from "@tanstack/react-query";
import type { ApiError } from "./api-error.ts";
import { readJson, send } from "./call.ts";
import { nextCursor } from "./link.ts";
import type { AnswerOf, InputOf, ReadKey } from "./operations.ts";
import { type ReadOptions, type RefetchEveryMs, refetching } from "./queries.ts";

/** Joins answers that are lists. */
export const joinLists = <Row>(one: Row[], next: Row[]): Row[] => [...one, ...next];

/** Joins answers that have a list in a field. */
export const joinListsIn =
  <Field extends string>(field: Field) =>
  <Answer extends Record<Field, unknown[]>>(one: Answer, next: Answer): Answer => ({
    ...one,
    [field]: [...one[field], ...next[field]],
  });

type ReadAllOptions<Key extends ReadKey> = Pick<ReadOptions, "enabled"> & {
  refetchEveryMs?: RefetchEveryMs<AnswerOf<Key>>;
  /** What a page shows of the whole answer, such as its rows in another order. */
  select?: (answer: AnswerOf<Key>) => AnswerOf<Key>;
};

/** As `useRead`, over every page of the answer: pages show sums and filters, and those need all rows. */
export function useReadAll<Key extends ReadKey>(
  key: Key,
  input: InputOf<Key>,
  /** Joins the answer so far with that of the next page. */
  join: (sofar: AnswerOf<Key>, next: AnswerOf<Key>) => AnswerOf<Key>,
  { enabled, refetchEveryMs, select }: ReadAllOptions<Key> = {},
): UseQueryResult<AnswerOf<Key>, ApiError> {
  return useQuery<AnswerOf<Key>, ApiError>({
    queryKey: [key, input, "all pages"],
    queryFn: ({ signal }) => readAll(key, input, join, signal),
    placeholderData: keepPreviousData,
    ...(enabled !== undefined && { enabled }),
    ...(select !== undefined && { select }),
    ...refetching(refetchEveryMs),
  });
}

/** As `useRead`, over the first page of the answer, and whether there are more. Keeps the former page in view. */
export function useReadFirst<Key extends ReadKey>(
  key: Key,
  input: InputOf<Key>,
  { enabled, refetchEveryMs }: Pick<ReadOptions, "enabled" | "refetchEveryMs"> = {},
): UseQueryResult<{ answer: AnswerOf<Key>; hasMore: boolean }, ApiError> {
  return useQuery<{ answer: AnswerOf<Key>; hasMore: boolean }, ApiError>({
    queryKey: [key, input, "first page"],
    queryFn: async ({ signal }) => {
      const { answer, next } = await readPage(key, input, undefined, signal);
      return { answer, hasMore: next !== undefined };
    },
    placeholderData: keepPreviousData,
    ...(enabled !== undefined && { enabled }),
    ...refetching(refetchEveryMs),
  });
}

async function readAll<Key extends ReadKey>(
  key: Key,
  input: InputOf<Key>,
  join: (sofar: AnswerOf<Key>, next: AnswerOf<Key>) => AnswerOf<Key>,
  signal: AbortSignal,
): Promise<AnswerOf<Key>> {
  let { answer, next } = await readPage(key, input, undefined, signal);
  while (next !== undefined) {
    const page = await readPage(key, input, next, signal);
    answer = join(answer, page.answer);
    next = page.next;
  }
  return answer;
}

/**
 * As `useRead`, over the first pages of the answer: `fetchNextPage` adds one while `hasNextPage`. The more pages there are the
 * later they are asked for again.
 */
export function useReadPages<Key extends ReadKey>(
  key: Key,
  input: InputOf<Key>,
  { refetchEveryMs }: Pick<ReadOptions, "refetchEveryMs"> = {},
): UseInfiniteQueryResult<AnswerOf<Key>[], ApiError> {
  return useInfiniteQuery({
    queryKey: [key, input, "first pages"],
    queryFn: ({ signal, pageParam }) => readPage(key, input, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }: Page<Key>) => next,
    select: ({ pages }) => pages.map(({ answer }) => answer),
    ...refetching<InfiniteData<Page<Key>>>(refetchEveryMs && (({ pages }) => refetchEveryMs * pages.length)),
  });
}

interface Page<Key extends ReadKey> {
  answer: AnswerOf<Key>;
  /** Cursor of the next page. */
  next: string | undefined;
}

async function readPage<Key extends ReadKey>(
  key: Key,
  input: InputOf<Key>,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<Page<Key>> {
  const { query = {} } = input as { query?: object };
  const response = await send(key, { ...input, query: { ...query, cursor } }, { signal });
  const next = nextCursor(response.headers.get("Link"));
  return { answer: await readJson<AnswerOf<Key>>(response), next };
}
