import {
  keepPreviousData,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useState } from "react";
import { type ApiError, hasStatus, UnknownOutcome } from "./api-error.ts";
import { callAny } from "./call.ts";
import { callToChange } from "./call-to-change.ts";
import { newUuid } from "./new-uuid.ts";
import type { AnswerOf, ChangeKey, InputArguments, InputOf, ReadKey } from "./operations.ts";
import type { retryChanges } from "./retry.ts";
import { sessionQuery } from "./session.ts";
import { type KeyedChange, keyedChange } from "./unanswered.ts";

/** A time, or the one that suits the last answer: an answer of many pages is asked for less often. */
export type RefetchEveryMs<Answer> = number | ((answer: Answer) => number);

export interface ReadOptions {
  /** Asks only when true. */
  enabled?: boolean;
  /** Asks again after this time while the page is looked at; after 403, 404 or a first failure, once something was changed. */
  refetchEveryMs?: number;
  /** Keeps the answer of the former input in view until that of the new one is there. */
  keepPrevious?: boolean;
}

/**
 * Asks again after the time, until the answer is one that only a change can make another. Where nothing could be read so
 * far, the page says so and offers another try: asking by itself would replace that by a skeleton again and again.
 */
export function refetching<Answer>(everyMs: RefetchEveryMs<Answer> | undefined) {
  if (everyMs === undefined) return {};
  return {
    refetchInterval: ({ state }: { state: { data: Answer | undefined; error: ApiError | null } }) => {
      const hasFailed = state.error !== null && state.data === undefined;
      if (hasFailed || hasStatus(state.error, 403, 404)) return false as const;
      if (typeof everyMs === "number") return everyMs;
      return state.data === undefined ? (false as const) : everyMs(state.data);
    },
  };
}

/** The answer of an operation that reads, kept and shared between components. */
export function useRead<Key extends ReadKey>(
  key: Key,
  ...[input, options]: [...InputArguments<Key>, options?: ReadOptions]
): UseQueryResult<AnswerOf<Key>, ApiError> {
  const { enabled, refetchEveryMs, keepPrevious } = (options ?? {}) as ReadOptions;
  return useQuery<AnswerOf<Key>, ApiError>({
    queryKey: [key, input ?? {}],
    queryFn: ({ signal }) => callAny(key, input, { signal }),
    ...(enabled !== undefined && { enabled }),
    ...refetching(refetchEveryMs),
    ...(keepPrevious === true && { placeholderData: keepPreviousData }),
  });
}

/** Asks anew, or waits for who is asking already, and keeps the answer for all components. */
export function useReadNow<Key extends ReadKey>(
  key: Key,
  ...[input]: InputArguments<Key>
): () => Promise<AnswerOf<Key>> {
  const client = useQueryClient();
  return () =>
    client.fetchQuery<AnswerOf<Key>>({
      queryKey: [key, input ?? {}],
      queryFn: ({ signal }) => callAny(key, input, { signal }),
      staleTime: 0,
    });
}

/** A change that was made is not held up for longer by reads that are slow or fail. */
const MAX_REFRESH_MS = 1_500;

const afterMs = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export interface Change<Key extends ChangeKey>
  extends Pick<UseMutationResult<AnswerOf<Key>, ApiError>, "data" | "error" | "isPending" | "reset"> {
  mutate: (input: InputOf<Key>) => void;
  mutateAsync: (input: InputOf<Key>) => Promise<AnswerOf<Key>>;
}

/** What nobody can undo: its unanswered key outlives the component, so that it is not done twice after leaving a page. */
const LASTING: ReadonlySet<ChangeKey> = new Set<ChangeKey>(["POST /deposit"]);

/**
 * Calls an operation that changes something, and asks anew for what the pages show. Every attempt at a change carries one
 * Idempotency-Key, also when a person sends it again because no answer came: a lost answer never makes two of anything.
 * @param retrying `retryChanges` for an operation that may be sent twice; default: a person decides
 */
export function useChange<Key extends ChangeKey>(
  key: Key,
  retrying: Partial<typeof retryChanges> = {},
): Change<Key> {
  const client = useQueryClient();
  const mutation = useMutation<AnswerOf<Key>, ApiError, SentChange<Key>>({
    mutationFn: ({ input, keyed }) =>
      callToChange(key, input, keyed && { idempotencyKey: keyed.idempotencyKey }),
    ...retrying,
    onSuccess: async (_answer, { keyed }) => {
      keyed?.end();
      await Promise.race([client.invalidateQueries(), afterMs(MAX_REFRESH_MS)]);
    },
    onError: (error, { keyed }) => {
      keyed?.end(error);
      // Others have changed what the page shows, or this change was made without an answer.
      if (error instanceof UnknownOutcome || hasStatus(error, 403, 404, 409)) void client.invalidateQueries();
    },
  });
  const [ownScope] = useState(newUuid);
  const canBeUndone = !LASTING.has(key);
  const sent = (input: InputOf<Key>): SentChange<Key> => {
    if (!key.startsWith("POST ")) return { input, keyed: undefined };
    const accountId = client.getQueryData(sessionQuery.queryKey)?.account.id;
    const scope = canBeUndone ? ownScope : "all";
    return { input, keyed: keyedChange([accountId, key, input, scope], { canBeUndone }) };
  };
  const { data, error, isPending, reset, mutate, mutateAsync } = mutation;
  return {
    data,
    error,
    isPending,
    reset,
    mutate: (input) => mutate(sent(input)),
    mutateAsync: (input) => mutateAsync(sent(input)),
  };
}

interface SentChange<Key extends ChangeKey> {
  input: InputOf<Key>;
  keyed: KeyedChange | undefined;
}
