import { Button, Card, Group, SegmentedControl, Select } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useState } from "react";
import { Link } from "react-router";
import { callForResponse } from "../../api/call.ts";
import { useRead } from "../../api/queries.ts";
import { Chart } from "../../charts/chart.tsx";
import { download } from "../../format/csv.ts";
import { daysBetween, firstDayOf } from "../../format/days.ts";
import { centsOfMicrocents, formatCount, formatDayWithYear, formatNoun } from "../../format/format.ts";
import { DataTable } from "../../kit/data-table.tsx";
import { Figures } from "../../kit/figures.tsx";
import { Money } from "../../kit/money.tsx";
import { notifyFailed } from "../../kit/notify.ts";
import { Page, Section } from "../../kit/page.tsx";
import { Empty } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/use-url-state.ts";
import { type EarningsRow, earnedByDay, sumEarned } from "./earnings-rows.ts";
import { gamePath } from "./placement.ts";
import { useEarnings } from "./reads.ts";

const PERIODS = [
  { value: "month", label: "This month" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
];

/** What the games have earned: by day, by game, by advertiser. */
export function Component() {
  const [period, setPeriod] = useUrlState("period", "30");
  const [game, setGame] = useUrlState("game");
  const [isSaving, setSaving] = useState(false);
  const now = new Date();
  const query = { from: firstDayOf(period, now), ...(game !== "" && { game_id: game }) };
  const earnings = useEarnings(query);
  const month = useEarnings({ from: firstDayOf("month", now) });
  const total = useRead("GET /creator-revenue");
  const games = total.data?.games ?? [];
  const { data } = earnings;
  const days = data && earnedByDay(data.rows, daysBetween(data.from, data.to));
  const today = (month.data?.rows ?? []).filter(({ date }) => date === month.data?.to);

  const saveCsv = async () => {
    setSaving(true);
    try {
      const response = await callForResponse("GET /earnings", { query }, { accept: "text/csv" });
      download(`earnings-${query.from}.csv`, await response.text());
    } catch (error) {
      notifyFailed("The earnings could not be downloaded.", error);
    } finally {
      setSaving(false);
    }
  };

  if (total.data?.games_count === 0) {
    return (
      <Page title="Earnings">
        <Card>
          <Empty
            line="The purse is empty, and light to carry."
            action={
              <Button component={Link} to="/games">
                Add a game
              </Button>
            }
          >
            Earnings appear with the first billed impression of a game.
          </Empty>
        </Card>
      </Page>
    );
  }
  return (
    <Page
      title="Earnings"
      about="Your share of what advertisers paid. Days are UTC. Every impression that was answered 201 is in it."
    >
      <Figures
        figures={[
          {
            label: "Today",
            read: month,
            value: <Money cents={centsOfMicrocents(sumEarned(today))} />,
            note: "UTC, so far",
          },
          {
            label: "Month to date",
            read: month,
            value: <Money cents={centsOfMicrocents(month.data?.total.earned_microcents ?? 0)} />,
            note: formatNoun(month.data?.total.impressions ?? 0, "impression"),
          },
          {
            label: "All time",
            read: total,
            value: <Money cents={centsOfMicrocents(total.data?.total_earned_microcents ?? 0)} />,
            note: formatNoun(total.data?.total_impressions ?? 0, "impression"),
          },
        ]}
      />
      <Group gap="sm" justify="space-between">
        <Group gap="sm">
          <SegmentedControl
            aria-label="Period"
            data={PERIODS}
            value={period}
            onChange={setPeriod}
            size="sm"
          />
          <Select
            aria-label="Game"
            placeholder="All games"
            data={games.map(({ game_id: id }) => id)}
            value={game === "" ? null : game}
            onChange={(value) => setGame(value ?? "")}
            clearable
            w={220}
          />
        </Group>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} stroke={1.5} />}
          loading={isSaving}
          onClick={() => void saveCsv()}
        >
          CSV by day and game
        </Button>
      </Group>
      <Chart
        title="Earned by day"
        about={data && `From ${formatDayWithYear(data.from)} to ${formatDayWithYear(data.to)}, UTC.`}
        kind="time"
        rows={days?.map(({ date, earned }) => ({ date, earned: centsOfMicrocents(earned) }))}
        rowKey="date"
        rowLabel="Day"
        series={[{ key: "earned", label: "Earned", role: "own" }]}
        format="cents"
        error={earnings.error}
        onRetry={() => void earnings.refetch()}
      />
      <ByGame rows={data?.rows} total={total} />
      {(total.data !== undefined || !total.isError) && (
        <ByAdvertiser games={games.map(({ game_id: id }) => id)} />
      )}
    </Page>
  );
}

interface ByGameProps {
  rows: readonly EarningsRow[] | undefined;
  total: ReturnType<typeof useRead<"GET /creator-revenue">>;
}

function ByGame({ rows, total }: ByGameProps) {
  const games = total.data?.games.map((game) => {
    const own = rows?.filter(({ game_id: id }) => id === game.game_id);
    return {
      ...game,
      period: own && sumEarned(own),
      seen: own?.reduce((sum, { impressions }) => sum + impressions, 0),
    };
  });
  return (
    <Section title="By game">
      <DataTable
        label="Earnings by game"
        name="games"
        rows={games}
        rowKey={({ game_id: id }) => id}
        rowTo={({ game_id: id }) => gamePath(id)}
        error={total.error}
        onRetry={() => void total.refetch()}
        defaultSort="-period"
        empty={null}
        columns={[
          {
            key: "game",
            header: "Game",
            phone: "title",
            value: ({ game_id: id }) => id,
            cell: ({ game_id: id }) => id,
          },
          {
            key: "period",
            header: "In the period",
            align: "right",
            phone: "fact",
            value: ({ period }) => period && centsOfMicrocents(period),
            cell: ({ period }) => (period === undefined ? "–" : <Money cents={centsOfMicrocents(period)} />),
          },
          {
            key: "seen",
            header: "Impressions",
            help: "In the period.",
            align: "right",
            phone: "fact",
            value: ({ seen }) => seen,
            cell: ({ seen }) => (seen === undefined ? "–" : formatCount(seen)),
          },
          {
            key: "total",
            header: "All time",
            align: "right",
            value: ({ earned_microcents: earned }) => centsOfMicrocents(earned),
            cell: ({ earned_microcents: earned }) => <Money cents={centsOfMicrocents(earned)} />,
          },
          {
            key: "share",
            header: "Your share",
            align: "right",
            value: ({ revenue_share_pct: share }) => share,
            cell: ({ revenue_share_pct: share }) => `${share}%`,
          },
        ]}
      />
    </Section>
  );
}

function ByAdvertiser({ games }: { games: readonly string[] }) {
  const [game, setGame] = useUrlState("in");
  const shown = game || (games[0] ?? "");
  const advertisers = useRead(
    "GET /creator-revenue/{game_id}/advertisers",
    { path: { game_id: shown } },
    { enabled: shown !== "" },
  );
  return (
    <Section
      title="By advertiser"
      about={`All time, in ${shown || "a game"}.`}
      actions={
        <Select
          aria-label="Game of the advertisers"
          data={[...games]}
          value={shown === "" ? null : shown}
          onChange={(value) => setGame(value ?? "")}
          allowDeselect={false}
          w={220}
        />
      }
    >
      <DataTable
        label="Earnings by advertiser"
        name="advertisers"
        rows={advertisers.data}
        rowKey={({ advertiser_id: id }) => id}
        error={advertisers.error}
        onRetry={() => void advertisers.refetch()}
        skeletonRows={3}
        empty={
          <Empty line="Nobody has paid here yet.">
            Advertisers appear with their first billed impression.
          </Empty>
        }
        columns={[
          {
            key: "advertiser",
            header: "Advertiser",
            phone: "title",
            value: ({ company_name: name }) => name,
            cell: ({ company_name: name }) => name,
          },
          {
            key: "earned",
            header: "Earned",
            align: "right",
            phone: "fact",
            value: ({ earned_microcents: earned }) => centsOfMicrocents(earned),
            cell: ({ earned_microcents: earned }) => <Money cents={centsOfMicrocents(earned)} />,
          },
          {
            key: "impressions",
            header: "Impressions",
            align: "right",
            phone: "fact",
            value: ({ impressions }) => impressions,
            cell: ({ impressions }) => formatCount(impressions),
          },
          {
            key: "brands",
            header: "Brands",
            value: ({ brand_names: brands }) => brands.join(", "),
            cell: ({ brand_names: brands }) => brands.join(", "),
          },
        ]}
      />
    </Section>
  );
}
