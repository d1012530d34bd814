import { Group, SegmentedControl, Select } from "@mantine/core";
import { callForResponse } from "../../api/call.ts";
import { useRead } from "../../api/queries.ts";
import { FIGURES_REFETCH_MS } from "../../api/refetch-times.ts";
import { useAnswered } from "../../api/use-answered.ts";
import { Chart } from "../../charts/chart.tsx";
import { daysBetween, firstDayOf } from "../../format/days.ts";
import { centsOfMicrocents, formatDayWithYear, formatNoun, formatPercent } from "../../format/format.ts";
import { ButtonLink } from "../../kit/button-link.tsx";
import { CsvButton } from "../../kit/csv-button.tsx";
import { TableSection } from "../../kit/data-table.tsx";
import { Figures } from "../../kit/figures.tsx";
import { Money } from "../../kit/money.tsx";
import { valuesOf } from "../../kit/options.ts";
import { Page } from "../../kit/page.tsx";
import { Empty } from "../../kit/states.tsx";
import { useUrlChoice, useUrlState } from "../../kit/use-url-state.ts";
import {
  advertiserChoices,
  type EarningsRow,
  earnedByDay,
  sumEarned,
  sumsByGame,
  UNKNOWN_ADVERTISER,
} from "./earnings-rows.ts";
import { gamePath } from "./game-path.ts";
import { useEarnings, useEarningsByAdvertiser } from "./reads.ts";
import { TestScene } from "./test-scene.tsx";

const PERIODS = [
  { value: "month", label: "This month" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
];
const DEFAULT_PERIOD = "30";

/** On a phone two stand beside each other. */
const FILTER_WIDTH = { base: "calc(50% - 6px)", sm: 220 };

/** What the games have earned: by day, by game, by advertiser. A chosen advertiser narrows days and games. */
export function Component() {
  const total = useRead("GET /creator-revenue", {}, { refetchEveryMs: FIGURES_REFETCH_MS });
  const [period, setPeriod] = useUrlChoice("period", valuesOf(PERIODS), DEFAULT_PERIOD);
  const gameIds = total.data?.games.map(({ game_id: id }) => id);
  const [game, setGame] = useUrlChoice("game", total.isFetching ? undefined : gameIds, "");
  const [advertiser, setAdvertiser] = useUrlState("advertiser");
  const now = new Date();
  const inPeriod = { from: firstDayOf(period, now), ...(game !== "" && { game_id: game }) };
  const query = { ...inPeriod, ...(advertiser !== "" && { advertiser_id: advertiser }) };
  const earnings = useEarnings(query);
  const byAdvertiser = useEarningsByAdvertiser(inPeriod);
  const month = useEarnings({ from: firstDayOf("month", now) });
  const { data } = earnings;
  const shownAdvertiser = useAnswered(advertiser, earnings);
  const shownGame = useAnswered(game, byAdvertiser);
  const days = data && earnedByDay(data.rows, daysBetween(data.from, data.to));
  const advertisers = advertiserChoices(byAdvertiser.data?.rows ?? []);
  const payer =
    shownAdvertiser === ""
      ? undefined
      : (advertisers.find(({ value }) => value === shownAdvertiser)?.label ?? shownAdvertiser);
  const today = (month.data?.rows ?? []).filter(({ date }) => date === month.data?.to);

  if (total.data?.games_count === 0) {
    return (
      <Page title="Earnings">
        <Empty
          isCard
          line="The purse is empty, and light to carry."
          action={<ButtonLink to="/games">Add a game</ButtonLink>}
        >
          Earnings appear with the first billed impression of a game.
        </Empty>
      </Page>
    );
  }
  return (
    <Page
      title="Earnings"
      about="Your share of what advertisers paid, by UTC day. Diegetic keeps the account and moves no money: the operator of the installation pays out."
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
        <Group gap="sm" w={{ base: "100%", sm: "auto" }}>
          <SegmentedControl aria-label="Period" data={PERIODS} value={period} onChange={setPeriod} />
          <Select
            aria-label="Game"
            placeholder="All games"
            data={gameIds ?? []}
            value={game === "" ? null : game}
            onChange={(value) => setGame(value ?? "")}
            clearable
            w={FILTER_WIDTH}
          />
          <Select
            aria-label="Advertiser"
            placeholder="All advertisers"
            data={
              advertiser === "" || advertisers.some(({ value }) => value === advertiser)
                ? advertisers
                : [...advertisers, { value: advertiser, label: advertiser }]
            }
            value={advertiser === "" ? null : advertiser}
            onChange={(value) => setAdvertiser(value ?? "")}
            searchable
            selectFirstOptionOnChange
            clearable
            w={FILTER_WIDTH}
          />
        </Group>
        <CsvButton
          fileName={`earnings-${query.from}.csv`}
          read={(csv) => callForResponse("GET /earnings", { query }, csv)}
          failure="The earnings could not be downloaded."
        >
          CSV by day and game
        </CsvButton>
      </Group>
      <Chart
        title="Earned by day"
        about={
          data &&
          `From ${formatDayWithYear(data.from)} to ${formatDayWithYear(data.to)}, UTC${payer === undefined ? "" : `; paid by ${payer}`}.`
        }
        kind="time"
        rows={days?.map(({ date, earned }) => ({ date, earned: centsOfMicrocents(earned) }))}
        rowKey="date"
        rowLabel="Day"
        series={[{ key: "earned", label: "Earned", role: "own" }]}
        format="cents"
        read={earnings}
      />
      <ByGame rows={data?.rows} isStale={earnings.isPlaceholderData} total={total} payer={payer} />
      {(total.data !== undefined || !total.isError) && (
        <ByAdvertiser
          earnings={byAdvertiser}
          where={shownGame === "" ? "in all games" : `in ${shownGame}`}
          game={game === "" ? (gameIds?.[0] ?? "") : game}
        />
      )}
    </Page>
  );
}

interface ByGameProps {
  rows: readonly EarningsRow[] | undefined;
  isStale: boolean;
  total: ReturnType<typeof useRead<"GET /creator-revenue">>;
  /** The advertiser whose payments the rows are; undefined: all. */
  payer: string | undefined;
}

function ByGame({ rows, isStale, total, payer }: ByGameProps) {
  const sums = rows && sumsByGame(rows);
  const games = total.data?.games.map((game) => {
    const own = sums && (sums.get(game.game_id) ?? { earned: 0, impressions: 0 });
    return { ...game, period: own?.earned, seen: own?.impressions };
  });
  return (
    <TableSection
      title="By game"
      about={payer && `Paid by ${payer}.`}
      label="Earnings by game"
      name="games"
      rows={games}
      rowKey={({ game_id: id }) => id}
      rowTo={({ game_id: id }) => gamePath(id)}
      read={{ error: total.error, isPlaceholderData: isStale, refetch: total.refetch }}
      defaultSort="-period"
      empty={null}
      columns={(make) => [
        make.name("game", "Game", ({ game_id: id }) => id),
        make.money("period", "In the period", ({ period }) => period && centsOfMicrocents(period), {
          phone: "fact",
        }),
        make.number("seen", "Impressions", ({ seen }) => seen, { phone: "fact", help: "In the period." }),
        ...(payer === undefined
          ? [make.money("total", "All time", ({ earned_microcents: earned }) => centsOfMicrocents(earned))]
          : []),
        make.number("share", "Your share", ({ revenue_share_pct: share }) => share, {
          format: formatPercent,
        }),
      ]}
    />
  );
}

interface ByAdvertiserProps {
  earnings: ReturnType<typeof useEarningsByAdvertiser>;
  where: string;
  /** The game to test while nobody has paid; empty: unknown yet. */
  game: string;
}

function ByAdvertiser({ earnings, where, game }: ByAdvertiserProps) {
  return (
    <TableSection
      title="By advertiser"
      about={`In the period, ${where}. Choose an advertiser above for its days and games.`}
      label="Earnings by advertiser"
      name="advertisers"
      rows={game === "" ? undefined : earnings.data?.rows}
      rowKey={({ advertiser_id: id }) => id ?? ""}
      read={earnings}
      skeletonRows={3}
      empty={
        <Empty line="Nobody has paid here yet." action={<TestScene game={game} />}>
          Advertisers appear with their first billed impression.
        </Empty>
      }
      columns={(make) => [
        make.name("advertiser", "Advertiser", ({ company_name: name }) => name ?? UNKNOWN_ADVERTISER),
        make.money("earned", "In the period", ({ earned_microcents: earned }) => centsOfMicrocents(earned), {
          phone: "fact",
        }),
        make.number("impressions", "Impressions", ({ impressions }) => impressions, {
          phone: "fact",
          help: "In the period.",
        }),
        make.money("total", "All time", ({ total_earned_microcents: earned }) =>
          earned === null ? null : centsOfMicrocents(earned),
        ),
        make.name("brands", "Newest brands", ({ brand_names: brands }) => brands.join(", "), {
          isAside: true,
        }),
      ]}
    />
  );
}
