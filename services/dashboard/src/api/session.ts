import { type QueryKey, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { ApiError, hasStatus, isUnanswered } from "./api-error.ts";
import { call, showAccount } from "./call.ts";
import type { AnswerOf } from "./operations.ts";

/** Who is signed in, and the account that the session acts for. */
export type Session = AnswerOf<"GET /session">;
export type Role = Session["role"];

/** The session, or null when nobody is signed in. */
export const sessionQuery = queryOptions<Session | null, ApiError>({
  queryKey: ["session"],
  queryFn: async () => {
    try {
      const session = await call("GET /session");
      showAccount(session.account.id);
      return session;
    } catch (error) {
      if (hasStatus(error, 401)) return null;
      throw error;
    }
  },
  staleTime: 60_000,
  retry: false,
});

/** The session after an own change that may have let it act for another account: whichever it is, the page shows it next. */
export function readSessionAnew(): Promise<Session> {
  return call("GET /session", {}, { forAnyAccount: true });
}

/**
 * The session after an own change of it that failed, where the failure leaves open whether it was made: no answer came, or the
 * session acts for another account than the page shows. Undefined: nothing was changed, or the session cannot be read; null:
 * it has ended.
 */
export async function readSessionAfter(failure: unknown): Promise<Session | null | undefined> {
  const isOpen = isUnanswered(failure) || (failure instanceof ApiError && failure.isOtherAccount);
  if (!isOpen) return undefined;
  return readSessionAnew().catch((error: unknown) => (hasStatus(error, 401) ? null : undefined));
}

/** The session of a page inside the frame, which is shown to signed-in people only. */
export function useSession(): Session {
  const { data } = useQuery(sessionQuery);
  if (data === undefined || data === null) throw new Error("useSession needs a signed-in user");
  return data;
}

/** What the signed-in person may do; what they may not is left out or explained. */
export function useAbility(): { canChange: boolean; canAdminister: boolean } {
  const { role } = useSession();
  return { canChange: role !== "viewer", canAdminister: role === "owner" };
}

/**
 * Takes over another session: nothing of the former account stays in view. What is in view stays
 * while it is asked for anew where user and account are the same, with another name or role.
 */
export function useSessionChange(): (next: Session) => void {
  const client = useQueryClient();
  return useCallback(
    (next) => {
      const others = { predicate: ({ queryKey }: { queryKey: QueryKey }) => queryKey[0] !== "session" };
      const former = client.getQueryData(sessionQuery.queryKey);
      showAccount(next.account.id);
      client.setQueryData(sessionQuery.queryKey, next);
      if (former?.account.id === next.account.id && former.user.id === next.user.id) {
        void client.invalidateQueries(others);
      } else void client.resetQueries(others);
    },
    [client],
  );
}
