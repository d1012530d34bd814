import { Skeleton } from "@mantine/core";
import { useRead } from "../../api/queries.ts";
import { Chart, REPORT_CHART_HEIGHT } from "../../charts/chart.tsx";
import { sumOf, weekOnWeek } from "../../format/change.ts";
import { centsOfMicrocents, formatCount, formatNoun, formatShare } from "../../format/format.ts";
import { Figures } from "../../kit/figures.tsx";
import { Money } from "../../kit/money.tsx";
import { CALLS } from "./calls.ts";
import { pointKey, type TrafficPoint, useTrafficSeries } from "./period.tsx";
import type { GameTraffic, Placement } from "./placement.ts";
import { useGameTraffic } from "./reads.ts";
import { TrafficFailed } from "./traffic-failed.tsx";
import { pathOf } from "./use-placement.ts";

/** Two complete weeks and today. */
const COMPARED_DAYS = 15;

/** What stands above the tabs of a game: its figures and its calls over time, once there is a call. */
export function GameReport({ placement }: { placement: Placement }) {
  const { traffic, game } = useGameTraffic(placement.game_id);
  if (game === undefined) {
    if (!traffic.error) return <Skeleton height={160} />;
    return <TrafficFailed traffic={traffic}>The settings of the game can still be changed.</TrafficFailed>;
  }
  if (game.stage === "waiting") return null;
  return (
    <>
      <Summary game={game} placement={placement} />
      <Calls placement={placement} />
    </>
  );
}

const sumOfDays = (field: "requests" | "matches" | "impressions") =>
  sumOf(({ [field]: count }: TrafficPoint) => count);

function Summary({ game, placement }: { game: GameTraffic; placement: Placement }) {
  const byDay = useRead("GET /traffic/{game_id}", {
    ...pathOf(placement),
    query: { unit: "day", count: COMPARED_DAYS },
  });
  const days = byDay.data && [...byDay.data.points].reverse();
  const {
    requests,
    matches,
    impressions,
    errors,
    billed_impressions: billed,
    earned_microcents: earned,
  } = game;
  return (
    <Figures
      figures={[
        {
          label: "Requests",
          value: formatCount(requests),
          note: "in the last 24 hours",
          change: weekOnWeek(days, sumOfDays("requests")),
        },
        {
          label: "Matches",
          value: formatCount(matches),
          note: requests === 0 ? "in the last 24 hours" : `${formatShare(matches / requests)} of requests`,
          change: weekOnWeek(days, sumOfDays("matches")),
        },
        {
          label: "Impressions",
          value: formatCount(impressions),
          note: matches === 0 ? "in the last 24 hours" : `${formatShare(impressions / matches)} of matches`,
          change: weekOnWeek(days, sumOfDays("impressions")),
        },
        { label: "Errors", value: formatCount(errors), note: "in the last 24 hours" },
        {
          label: "Earned",
          value: <Money cents={centsOfMicrocents(earned)} />,
          note: `${formatNoun(billed, "impression")}, all time`,
        },
      ]}
    />
  );
}

function Calls({ placement }: { placement: Placement }) {
  const { series, control, words, rowLabel } = useTrafficSeries(placement);
  const unit = series.data?.unit ?? "hour";
  return (
    <Chart
      title="Calls over time"
      about={`Requests that were answered, matches, and impressions that were accepted, in ${words}. UTC.`}
      kind="time"
      rows={series.data?.points.map((point) => ({
        start: pointKey(unit, point),
        requests: point.requests,
        matches: point.matches,
        impressions: point.impressions,
      }))}
      rowKey="start"
      rowLabel={rowLabel}
      series={CALLS}
      format="count"
      height={REPORT_CHART_HEIGHT}
      read={series}
      actions={control}
    />
  );
}
