import { Card, Skeleton, Title } from "@mantine/core";
import { lazy, Suspense } from "react";
import { useRead } from "../../api/queries.ts";
import { countryName } from "../../format/countries.ts";
import { formatCount, formatNoun, formatShare } from "../../format/format.ts";
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
      <Games />
    </>
  );
}

function Games() {
  const at = pathOf(useCampaign());
  const games = useRead("GET /campaigns/{campaign_id}/analytics/games", at);
  return (
    <Section
      title="Games"
      about="Matches and impressions of the last 24 hours; held is money for ads that nobody has seen yet."
    >
      <DataTable
        label="Games"
        name="games"
        rows={games.data?.games}
        rowKey={({ game_id: id }) => id ?? "others"}
        error={games.error}
        onRetry={() => void games.refetch()}
        empty={<Empty line="No game has asked for it yet.">Games appear with the first match.</Empty>}
        columns={[
          {
            key: "game",
            header: "Game",
            phone: "title",
            value: ({ game_id: id }) => id ?? "All other games",
            cell: ({ game_id: id }) => id ?? "All other games",
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
          {
            key: "held",
            header: "Held",
            align: "right",
            value: ({ held_cents: cents }) => cents,
            csv: ({ held_cents: cents }) => cents / 100,
            cell: ({ held_cents: cents }) => <Money cents={cents} />,
          },
          {
            key: "matches",
            header: "Matches",
            align: "right",
            value: ({ matches }) => matches,
            cell: ({ matches }) => formatCount(matches),
          },
          {
            key: "impressions",
            header: "Impressions",
            align: "right",
            value: ({ impressions }) => impressions,
            cell: ({ impressions }) => formatCount(impressions),
          },
          {
            key: "seen",
            header: "Seen",
            help: "The part of the matches that a player has seen.",
            align: "right",
            phone: "fact",
            value: ({ seen_rate: rate }) => rate,
            cell: ({ seen_rate: rate, matches }) => (matches === 0 ? "–" : formatShare(rate)),
          },
        ]}
      />
    </Section>
  );
}
