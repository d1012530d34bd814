import { Badge, Button, Card, Group, Skeleton } from "@mantine/core";
import { Link } from "react-router";
import { Chart } from "../../charts/chart.tsx";
import { centsOfMicrocents, formatCount, formatNoun, formatShare } from "../../format/format.ts";
import { Figures } from "../../kit/figures.tsx";
import { Money } from "../../kit/money.tsx";
import { Section } from "../../kit/page.tsx";
import { Empty, Failed } from "../../kit/states.tsx";
import { ErrorTable } from "./error-table.tsx";
import { pointKey, type TrafficPoint, useTrafficSeries } from "./period.tsx";
import type { GameTraffic } from "./placement.ts";
import { useTraffic } from "./reads.ts";
import { sampleDays } from "./sample.ts";
import { Steps } from "./steps.tsx";
import { usePlacement } from "./use-game.ts";

const SERIES = [
  { key: "requests", label: "Requests", role: "other" },
  { key: "matches", label: "Matches", role: "own" },
  { key: "impressions", label: "Impressions", role: "blue" },
] as const;

/** Whether the game's integration works: its steps, its calls over time, its errors. */
export function Component() {
  const placement = usePlacement();
  const traffic = useTraffic();
  const game = traffic.data?.games.find(({ game_id: id }) => id === placement.game_id);
  if (game === undefined) {
    return traffic.error ? (
      <Card>
        <Failed
          what="The traffic could not be loaded."
          error={traffic.error}
          onRetry={() => void traffic.refetch()}
        >
          The settings of the game can still be changed.
        </Failed>
      </Card>
    ) : (
      <>
        <Skeleton height={160} />
        <Skeleton height={96} />
        <Skeleton height={340} />
      </>
    );
  }
  return (
    <>
      <Steps traffic={game} />
      {game.stage === "waiting" ? (
        <Waiting gameId={game.game_id} />
      ) : (
        <>
          <Summary game={game} />
          <Calls />
        </>
      )}
    </>
  );
}

function Summary({ game }: { game: GameTraffic }) {
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
        { label: "Requests", value: formatCount(requests), note: "in the last 24 hours" },
        {
          label: "Matches",
          value: formatCount(matches),
          note: requests === 0 ? "in the last 24 hours" : `${formatShare(matches / requests)} of requests`,
        },
        {
          label: "Impressions",
          value: formatCount(impressions),
          note: matches === 0 ? "in the last 24 hours" : `${formatShare(impressions / matches)} of matches`,
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

function Calls() {
  const placement = usePlacement();
  const { series, control, words, rowLabel } = useTrafficSeries(placement);
  const unit = series.data?.unit ?? "hour";
  return (
    <>
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
        series={SERIES}
        format="count"
        error={series.error}
        onRetry={() => void series.refetch()}
        actions={control}
      />
      <Errors points={series.data?.points ?? []} words={words} />
    </>
  );
}

function Errors({ points, words }: { points: readonly TrafficPoint[]; words: string }) {
  const counts = new Map<string, number>();
  for (const { errors } of points) {
    for (const [name, count] of Object.entries(errors)) counts.set(name, (counts.get(name) ?? 0) + count);
  }
  if (counts.size === 0) return null;
  const sorted = [...counts].sort(([, one], [, other]) => other - one);
  return (
    <Section title="Errors" about={`Calls of this game that were refused or failed in ${words}.`}>
      <ErrorTable
        errors={sorted.map(([name, count]) => {
          const [operation = "", status] = name.split("_");
          return { operation, status: Number(status), count };
        })}
      />
    </Section>
  );
}

function Waiting({ gameId }: { gameId: string }) {
  const game = encodeURIComponent(gameId);
  return (
    <>
      <Card>
        <Empty
          line="The stage is lit, and the first scene has yet to begin."
          action={
            <Group gap="sm" justify="center">
              <Button component={Link} to={`/match-tester?game=${game}`} variant="default">
                Test a scene
              </Button>
              <Button component={Link} to={`/snippets?game=${game}`} variant="default">
                Copy a snippet
              </Button>
            </Group>
          }
        >
          Test a scene in the browser first, or copy a snippet into your server. This page changes by itself
          with the first call.
        </Empty>
      </Card>
      <Chart
        title="Calls over time"
        about={
          <>
            <Badge component="span" color="info" variant="outline" tt="none" mr={8}>
              Sample data
            </Badge>
            So it will look. These numbers are made up and disappear with the first real call.
          </>
        }
        kind="time"
        rows={sampleDays(new Date())}
        rowKey="day"
        rowLabel="Day"
        series={SERIES}
        format="count"
      />
    </>
  );
}
