import { Chart } from "../../charts/chart.tsx";
import { Empty } from "../../kit/states.tsx";
import { useDaily } from "./campaign-report.tsx";
import { useCampaign } from "./use-campaign.ts";

/** What the days of a campaign brought; its spend stands above the tabs. */
export function Component() {
  const campaign = useCampaign();
  const daily = useDaily(campaign);
  return (
    <Chart
      title="Impressions and players per day"
      about="A player who came back on another day counts again on that day."
      kind="time"
      format="count"
      rowKey="date"
      rowLabel="Day"
      rows={daily.data && (campaign.spent_cents === 0 ? [] : [...daily.data.days].reverse())}
      empty={
        <Empty line="Nobody has read a line of it yet.">The days appear with the first impression.</Empty>
      }
      series={[
        { key: "impressions", label: "Impressions", role: "own" },
        { key: "unique_users", label: "Unique players", role: "blue" },
      ]}
      read={daily}
    />
  );
}
