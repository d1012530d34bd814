import { Badge, Card, Group, Skeleton, Text } from "@mantine/core";
import { Chart } from "../../charts/chart.tsx";
import { ButtonLink } from "../../kit/button-link.tsx";
import { Empty } from "../../kit/states.tsx";
import { Status } from "../../kit/status.tsx";
import { CALLS, sumsByName } from "./calls.ts";
import { ErrorTable } from "./error-table.tsx";
import { snippetsPath } from "./game-path.ts";
import { type TrafficPoint, useTrafficSeries } from "./period.tsx";
import { useGameTraffic } from "./reads.ts";
import { sampleDays } from "./sample.ts";
import { Steps } from "./steps.tsx";
import { TestScene } from "./test-scene.tsx";
import { usePlacement } from "./use-placement.ts";

/** How far a game's integration has come and what goes wrong in it, or how to begin; the report above has its calls. */
export function Component() {
  const placement = usePlacement();
  const { game } = useGameTraffic(placement.game_id);
  const { series, words } = useTrafficSeries(placement);
  return (
    <>
      {game && <Steps traffic={game} />}
      {game?.stage === "waiting" ? (
        <Waiting gameId={game.game_id} />
      ) : series.data !== undefined ? (
        <Errors points={series.data.points} words={words} />
      ) : (
        // The chart above says what failed.
        !series.isError && <Skeleton height={48} />
      )}
    </>
  );
}

function Errors({ points, words }: { points: readonly TrafficPoint[]; words: string }) {
  const counts = sumsByName(points.map(({ errors }) => errors));
  if (counts.size === 0) {
    return (
      <Card padding="sm" px="lg">
        <Group gap="sm">
          <Status tone="positive">No errors</Status>
          <Text c="dimmed">No call of this game was refused or failed in {words}.</Text>
        </Group>
      </Card>
    );
  }
  const sorted = [...counts].sort(([, one], [, other]) => other - one);
  return (
    <ErrorTable
      title="Errors"
      about={`Calls of this game that were refused or failed in ${words}.`}
      errors={sorted.map(([name, count]) => {
        const [operation = "", status] = name.split("_");
        return { operation, status: Number(status), count };
      })}
    />
  );
}

function Waiting({ gameId }: { gameId: string }) {
  return (
    <>
      <Empty
        isCard
        line="The stage is lit, and the first scene has yet to begin."
        action={
          <Group gap="sm" justify="center">
            <TestScene game={gameId} />
            <ButtonLink to={snippetsPath(gameId)} variant="default">
              Copy a snippet
            </ButtonLink>
          </Group>
        }
      >
        Test a scene in the browser first, or copy a snippet into your server. This page changes by itself
        with the first call.
      </Empty>
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
        series={CALLS}
        format="count"
        isSample
      />
    </>
  );
}
