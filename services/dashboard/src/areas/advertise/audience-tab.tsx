import { Card, Group, Skeleton, Text, Title } from "@mantine/core";
import { lazy, type ReactNode, Suspense } from "react";
import type { AnswerOf } from "../../api/operations.ts";
import { useRead } from "../../api/queries.ts";
import { countryName } from "../../format/countries.ts";
import { formatCount, formatNoun } from "../../format/format.ts";
import { ButtonLink } from "../../kit/button-link.tsx";
import { TableSection } from "../../kit/data-table.tsx";
import { Empty } from "../../kit/states.tsx";
import classes from "./audience-tab.module.css";
import { MOVING, pathOf, useCampaign } from "./use-campaign.ts";

const WorldMap = lazy(() => import("../../map/world-map.tsx"));

export function Component() {
  const campaign = useCampaign();
  const at = pathOf(campaign);
  const geo = useRead("GET /campaigns/{campaign_id}/analytics/geo", at, MOVING);
  const games = useRead("GET /campaigns/{campaign_id}/analytics/games", at, MOVING);
  const rows = geo.data?.countries;
  const known = rows?.filter(({ country_code: code }) => code !== null) ?? [];
  const most = Math.max(...known.map(({ impressions }) => impressions), 1);
  const unplaced = known.length === 0 ? unplacedSentence(rows ?? []) : undefined;
  const byCode = new Map(known.map((row) => [row.country_code ?? "", row]));
  return (
    <>
      {(unplaced !== undefined || known.length > 0 || geo.isPending) && (
        <Card>
          <Title order={2} fz="md" mb="sm">
            Impressions by country
          </Title>
          {unplaced !== undefined ? (
            <Text c="dimmed">{unplaced}</Text>
          ) : geo.isPending ? (
            <Skeleton height={360} />
          ) : (
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
          )}
          {known.length > 0 && (
            <Group gap="xs" mt="sm" wrap="nowrap" className={classes.scale ?? ""}>
              <span>1 impression</span>
              <span className={classes.shades} aria-hidden="true" />
              <span>{formatNoun(most, "impression")}</span>
            </Group>
          )}
        </Card>
      )}
      <TableSection
        title="Countries"
        about="As the games say it; the address of a player is never used."
        actions={
          <ButtonLink to={`/spend?campaign=${campaign.id}&by=day-country`} variant="default">
            Spend by day and country
          </ButtonLink>
        }
        read={geo}
        rows={rows}
        rowKey={({ country_code: code }) => code ?? "unknown"}
        empty={
          <NothingYet
            line="Nobody has read a line of it yet."
            to={`/campaigns/${campaign.id}/explain`}
            action="Explain a scene"
          >
            The countries appear with the first impressions.
          </NothingYet>
        }
        columns={(make) => [
          make.text("country", "Country", ({ country_code: code }) => countryName(code), { phone: "title" }),
          make.number("impressions", "Impressions", ({ impressions }) => impressions, { phone: "fact" }),
          make.number("players", "Unique players", ({ unique_users: players }) => players),
          make.exactMoney("spend", "Spend", ({ spent_millicents: spent }) => spent, rows, { phone: "fact" }),
        ]}
      />
      <TableSection
        title="Games"
        about="Held is money for ads that nobody has seen yet."
        name="games"
        read={games}
        rows={games.data?.games}
        rowKey={({ game_id: id }) => id ?? "others"}
        empty={
          <NothingYet
            line="No game has asked for it yet."
            to={`/campaigns/${campaign.id}/targeting`}
            action="Check the targeting"
          >
            Games appear with the first match.
          </NothingYet>
        }
        columns={(make) => [
          make.name("game", "Game", ({ game_id: id }) => id ?? "All other games"),
          make.exactMoney("spend", "Spend", ({ spent_millicents: spent }) => spent, games.data?.games, {
            phone: "fact",
          }),
          make.exactMoney("held", "Held", ({ held_millicents: held }) => held, games.data?.games),
          make.number("matches", "Matches, 24 h", ({ matches }) => matches),
          make.number("impressions", "Impressions, 24 h", ({ impressions }) => impressions),
          make.share(
            "seen",
            "Seen, 24 h",
            ({ seen_rate: rate, matches }) => (matches === 0 ? undefined : rate),
            {
              help: "The part of the matches that a player has seen.",
              phone: "fact",
            },
          ),
        ]}
      />
    </>
  );
}

/** What stands where a map would have nothing to show; undefined where nobody has seen the campaign. */
function unplacedSentence(
  rows: AnswerOf<"GET /campaigns/{campaign_id}/analytics/geo">["countries"],
): string | undefined {
  const players = rows.reduce((sum, { unique_users: ofRow }) => sum + ofRow, 0);
  if (players === 0) return undefined;
  return players === 1
    ? "The games have not said where this player was."
    : `The games have not said where these ${formatCount(players)} players were.`;
}

interface NothingYetProps {
  line: string;
  to: string;
  action: string;
  children: ReactNode;
}

/** An empty table, with the page that shows why it may be empty. */
function NothingYet({ line, to, action, children }: NothingYetProps) {
  return (
    <Empty
      line={line}
      action={
        <ButtonLink to={to} variant="default">
          {action}
        </ButtonLink>
      }
    >
      {children}
    </Empty>
  );
}
