import { Chart } from "../../charts/chart.tsx";
import { useDaily } from "./campaign-report.tsx";
import { useCampaign } from "./use-campaign.ts";

/** What the days of a campaign brought; its spend stands above the tabs. */
export function Component() {
  const daily = useDaily(useCampaign());
  return (
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
  );
}
