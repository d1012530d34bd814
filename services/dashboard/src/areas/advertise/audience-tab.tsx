import { Card, Skeleton, Title } from "@mantine/core";
import { lazy, Suspense } from "react";
import { useRead } from "../../api/queries.ts";
import { countryName } from "../../format/countries.ts";
import { formatCount, formatNoun } from "../../format/format.ts";
import { DataTable } from "../../kit/data-table.tsx";
import { Money } from "../../kit/money.tsx";
import { Section } from "../../kit/page.tsx";
import { Empty } from "../../kit/states.tsx";
import { pathOf, useCampaign } from "./use-campaign.ts";

const WorldMap = lazy(() => import("../../map/world-map.tsx"));

export function Component() {
  const at = pathOf(useCampaign());
  const geo = useRead("GET /campaigns/{campaign_id}/analytics/geo", at);
  const rows = geo.data?.countries;
  const known = rows?.filter(({ country_code: code }) => code !== null) ?? [];
  const most = Math.max(...known.map(({ impressions }) => impressions), 1);
  const byCode = new Map(known.map((row) => [row.country_code ?? "", row]));
  return (
    <>
      <Card>
        <Title order={2} fz={16} mb="sm">
          Impressions by country
        </Title>
        <Suspense fallback={<Skeleton height={360} />}>
          <WorldMap
            label="A map of the world, darker where there were more impressions; the table below has the numbers"
            shares={new Map(known.map((row) => [row.country_code ?? "", row.impressions / most]))}
            describe={(code) => {
              const row = byCode.get(code);
              return row && `${countryName(code)}: ${formatNoun(row.impressions, "impression")}`;
            }}
          />
        </Suspense>
      </Card>
      <Section title="Countries" about="As the games say it; the address of a player is never used.">
        <DataTable
          label="Countries"
          rows={rows}
          rowKey={({ country_code: code }) => code ?? "unknown"}
          error={geo.error}
          onRetry={() => void geo.refetch()}
          empty={
            <Empty line="Nobody has read a line of it yet.">
              The countries appear with the first impressions.
            </Empty>
          }
          columns={[
            {
              key: "country",
              header: "Country",
              phone: "title",
              value: ({ country_code: code }) => countryName(code),
              cell: ({ country_code: code }) => countryName(code),
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
              key: "players",
              header: "Unique players",
              align: "right",
              value: ({ unique_users: players }) => players,
              cell: ({ unique_users: players }) => formatCount(players),
            },
            {
              key: "spend",
              header: "Spend",
              align: "right",
              phone: "fact",
              value: ({ spent_cents: cents }) => cents,
              csv: ({ spent_cents: cents }) => cents / 100,
              cell: ({ spent_cents: cents }) => <Money cents={cents} />,
            },
          ]}
        />
      </Section>
    </>
  );
}
