import {
  type QueryKey,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useRef } from "react";
import { ApiError } from "./api-error.ts";
import { type CallOptions, call } from "./call.ts";
import { newUuid } from "./new-uuid.ts";
import type { AnswerOf, ChangeKey, InputArguments, InputOf, ReadKey } from "./operations.ts";
import type { retryChanges } from "./retry.ts";

type AnyCall = (key: string, input: unknown, options: CallOptions) => Promise<unknown>;
const anyCall = call as unknown as AnyCall;

/** What a query of an operation is kept under; without an input it stands for every input. */
export function apiQueryKey<Key extends ReadKey>(key: Key, input?: InputOf<Key>): QueryKey {
  return input === undefined ? [key] : [key, input];
}

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
export function refetching(everyMs: number | undefined) {
  if (everyMs === undefined) return {};
  return {
    refetchInterval: ({ state }: { state: { data: unknown; error: ApiError | null } }) => {
      const hasFailed = state.error !== null && state.data === undefined;
      return hasFailed || hasStatus(state.error, 403, 404) ? (false as const) : everyMs;
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
    queryFn: ({ signal }) => anyCall(key, input, { signal }) as Promise<AnswerOf<Key>>,
    ...(enabled !== undefined && { enabled }),
    ...refetching(refetchEveryMs),
    ...(keepPrevious === true && { placeholderData: (previous: AnswerOf<Key> | undefined) => previous }),
  });
}

/** A change that was made is not held up for longer by reads that are slow or fail. */
const MAX_REFRESH_MS = 1_500;

const afterMs = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Calls an operation that changes something, and asks anew for what the pages show. A repeated attempt with the same
 * input carries the same Idempotency-Key until one has succeeded: a lost answer never makes two of anything.
 * @param retrying `retryChanges` for an operation that may be sent twice; default: a person decides
 */
export function useChange<Key extends ChangeKey>(key: Key, retrying: Partial<typeof retryChanges> = {}) {
  const client = useQueryClient();
  const attempt = useRef<{ input: string; idempotencyKey: string } | undefined>(undefined);
  return useMutation<AnswerOf<Key>, ApiError, InputOf<Key>>({
    mutationFn: (input) => {
      const text = JSON.stringify(input);
      if (attempt.current?.input !== text) {
        attempt.current = { input: text, idempotencyKey: newUuid() };
      }
      const { idempotencyKey } = attempt.current;
      const options = key.startsWith("POST ") ? { idempotencyKey } : {};
      return anyCall(key, input, options) as Promise<AnswerOf<Key>>;
    },
    ...retrying,
    onSuccess: async () => {
      attempt.current = undefined;
      await Promise.race([client.invalidateQueries(), afterMs(MAX_REFRESH_MS)]);
    },
  });
}

/** Whether the failure is one of these answers of the API. */
export function hasStatus(error: unknown, ...statuses: number[]): error is ApiError {
  return error instanceof ApiError && statuses.includes(error.status);
}
