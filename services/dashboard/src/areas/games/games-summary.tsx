import { sumOf } from "../../format/change.ts";
import { formatCount, formatShare } from "../../format/format.ts";
import { Figures } from "../../kit/figures.tsx";
import { Moment } from "../../kit/moment.tsx";
import type { GameTraffic } from "./placement.ts";
import type { TrafficRead } from "./reads.ts";
import { TrafficFailed } from "./traffic-failed.tsx";

/** The calls of all games in the last 24 hours. */
export function GamesSummary({ traffic }: { traffic: TrafficRead }) {
  const { data } = traffic;
  if (data === undefined && traffic.error) {
    return <TrafficFailed traffic={traffic}>The games below can still be changed.</TrafficFailed>;
  }
  const sum = (field: "requests" | "matches" | "impressions") =>
    sumOf((game: GameTraffic) => game[field])(data?.games ?? []);
  const requests = sum("requests");
  const errors = sumOf(({ count }: { count: number }) => count)(data?.errors ?? []);
  return (
    <Figures
      read={traffic}
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
