import { Anchor, Text } from "@mantine/core";
import { notifyManager, type Query, useQueryClient } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";
import { hasStatus } from "../api/queries.ts";
import { Moment } from "../kit/moment.tsx";
import classes from "./frame.module.css";

/** In view, and of an earlier time: the last attempt to read it again has failed. */
function isStale(query: Query): boolean {
  const { status, data, error } = query.state;
  return query.isActive() && status === "error" && data !== undefined && !hasStatus(error, 401, 403, 404);
}

/** Says since when the page may be out of date. What cannot be read at all says so in its own place. */
export function StaleNotice() {
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
