import { useRead } from "../../api/queries.ts";
import { Chart } from "../../charts/chart.tsx";
import type { Series } from "../../charts/chart-data.ts";
import { formatCount, formatDayWithYear, formatNoun, formatShare, formatTerm } from "../../format/format.ts";
import { Figures } from "../../kit/figures.tsx";
import { Money } from "../../kit/money.tsx";
import { spendRows } from "./ideal-line.ts";
import { pathOf, useCampaign, useHeldCents } from "./use-campaign.ts";

const DAYS = 30;

export function Component() {
  const campaign = useCampaign();
  const at = pathOf(campaign);
  const pacing = useRead("GET /campaigns/{campaign_id}/analytics/pacing", at);
  const stats = useRead("GET /campaigns/{campaign_id}/stats", at);
  const heldCents = useHeldCents(campaign);
  const daily = useRead("GET /campaigns/{campaign_id}/analytics/daily", { ...at, query: { days: DAYS } });
  const rows = daily.data && pacing.data ? spendRows(campaign, daily.data.days, pacing.data) : undefined;
  const hasIdeal = rows?.some(({ ideal }) => ideal !== null) ?? false;
  const hasProjection = (rows?.filter(({ projected }) => projected !== null).length ?? 0) > 1;
  const series: Series[] = [
    { key: "spent", label: "Spent so far", role: "own" },
    ...(hasIdeal ? [{ key: "ideal", label: "Ideal", role: "plan" } as const] : []),
    ...(hasProjection ? [{ key: "projected", label: "At this pace", role: "blue" } as const] : []),
  ];
  const { data } = pacing;
  return (
    <>
      <Figures
        figures={[
          {
            label: "Spend",
            read: pacing,
            value: <Money cents={data?.spent_cents ?? 0} />,
            note: (
              <>
                {formatShare((data?.utilization_pct ?? 0) / 100)} of <Money cents={data?.budget_cents ?? 0} />
                {heldCents !== undefined && (
                  <>
                    , <Money cents={heldCents} exact /> held
                  </>
                )}
              </>
            ),
          },
          {
            label: "Spend today (UTC)",
            read: pacing,
            value: <Money cents={data?.today_spent_cents ?? 0} />,
            note: data && (
              <>
                up to <Money cents={data.today_remaining_cents} /> more
              </>
            ),
          },
          {
            label: "Impressions",
            read: stats,
            value: formatCount(stats.data?.impressions ?? 0),
            note: `${formatNoun(stats.data?.unique_users ?? 0, "player")} in ${formatNoun(stats.data?.unique_games ?? 0, "game")}`,
          },
          {
            label: "Effective CPM",
            read: stats,
            value: <Money cents={stats.data?.effective_cpm_cents ?? 0} />,
            note: (
              <>
                bid <Money cents={campaign.cpm_bid_cents} />
              </>
            ),
          },
          {
            label: "Pacing",
            read: pacing,
            value: formatTerm(data?.pacing_status ?? "not_started"),
            note:
              data?.pacing_status === "exhausted"
                ? "The budget or the balance is used up"
                : data?.projected_exhaustion_date === null || data === undefined
                  ? "No spend to project yet"
                  : `Budget lasts until ${formatDayWithYear(data.projected_exhaustion_date)}`,
          },
        ]}
      />
      <Chart
        title="Spend against the ideal line"
        about="All spend up to each UTC day, beside the ideal line (where dates or a daily cap set one) and where this pace leads."
        kind="time"
        format="cents"
        rowKey="date"
        rowLabel="Day"
        rows={rows}
        series={series}
        error={daily.error ?? pacing.error}
        onRetry={() => void Promise.all([daily.refetch(), pacing.refetch()])}
      />
      <Chart
        title="Impressions and players per day"
        about="A player who came back on another day counts again on that day."
        kind="time"
        format="count"
        rowKey="date"
        rowLabel="Day"
        rows={daily.data && [...daily.data.days].reverse()}
        series={[
          { key: "impressions", label: "Impressions", role: "own" },
          { key: "unique_users", label: "Unique players", role: "blue" },
        ]}
        error={daily.error}
        onRetry={() => void daily.refetch()}
      />
    </>
  );
}
