import { formatCount, formatShare } from "../../format/format.ts";
import { Figures } from "../../kit/figures.tsx";
import { Moment } from "../../kit/moment.tsx";
import type { useTraffic } from "./reads.ts";
import { TrafficFailed } from "./traffic-failed.tsx";

export type TrafficRead = ReturnType<typeof useTraffic>;

/** The calls of all games in the last 24 hours. */
export function GamesSummary({ traffic }: { traffic: TrafficRead }) {
  const { data } = traffic;
  if (data === undefined && traffic.error) {
    return <TrafficFailed traffic={traffic}>The games below can still be changed.</TrafficFailed>;
  }
  const sum = (field: "requests" | "matches" | "impressions") =>
    (data?.games ?? []).reduce((total, game) => total + game[field], 0);
  const requests = sum("requests");
  const errors = (data?.errors ?? []).reduce((total, { count }) => total + count, 0);
  return (
    <Figures
      isLoading={data === undefined}
      figures={[
        {
          label: "Last call",
          value: data?.last_call_at ? <Moment iso={data.last_call_at} /> : "None yet",
          note: "by any key",
        },
        { label: "Requests", value: formatCount(requests), note: "in the last 24 hours" },
        {
          label: "Matches",
          value: formatCount(sum("matches")),
          note:
            requests === 0 ? "in the last 24 hours" : `${formatShare(sum("matches") / requests)} of requests`,
        },
        { label: "Impressions", value: formatCount(sum("impressions")), note: "in the last 24 hours" },
        { label: "Errors", value: formatCount(errors), note: "in the last 24 hours" },
      ]}
    />
  );
}
