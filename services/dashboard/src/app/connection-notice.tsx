import { Anchor, Text } from "@mantine/core";
import { notifyManager, onlineManager, type Query, useQueryClient } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";
import { ApiError } from "../api/api-error.ts";
import { Moment } from "../kit/moment.tsx";
import classes from "./connection-notice.module.css";

/**
 * Says that the browser is offline, or that the page may be out of date. The element stays, so that screen readers
 * announce what changes in it.
 */
export function ConnectionNotice() {
  const isOnline = useSyncExternalStore(onlineManager.subscribe, () => onlineManager.isOnline());
  return (
    <div role="status" aria-label="Connection">
      {isOnline ? (
        <StaleNotice />
      ) : (
        <Text className={classes.notice ?? ""}>
          You are offline. Only an installation on this machine or network can answer; otherwise you see what
          was last read, until the connection is back.
        </Text>
      )}
    </div>
  );
}

/** In view, and of an earlier time: the last attempt to read it again has failed. A refusal is an answer, which pages show. */
function isStale(query: Query): boolean {
  const { status, data, error } = query.state;
  const isRefusal = error instanceof ApiError && error.isRefusal;
  return query.isActive() && status === "error" && data !== undefined && !isRefusal;
}

/** Says since when the page may be out of date. What cannot be read at all says so in its own place. */
function StaleNotice() {
  const client = useQueryClient();
  const cache = client.getQueryCache();
  const subscribe = useCallback(
    (onChange: () => void) => cache.subscribe(notifyManager.batchCalls(onChange)),
    [cache],
  );
  const sinceMs = useSyncExternalStore(subscribe, () => {
    const stale = cache.findAll({ predicate: isStale });
    return stale.length === 0 ? undefined : Math.min(...stale.map(({ state }) => state.dataUpdatedAt));
  });
  if (sinceMs === undefined) return null;
  return (
    <Text className={classes.notice ?? ""}>
      Some of this was last read <Moment iso={new Date(sinceMs).toISOString()} /> and could not be read again.{" "}
      <Anchor
        component="button"
        type="button"
        inherit
        onClick={() => void client.refetchQueries({ predicate: isStale })}
      >
        Try again
      </Anchor>
    </Text>
  );
}
