import { Button } from "@mantine/core";
import { Link } from "react-router";
import { useRead } from "../../api/queries.ts";
import { useAbility } from "../../api/session.ts";
import { formatCount, formatDecimal, formatShare, formatTerm } from "../../format/format.ts";
import { DataTable } from "../../kit/data-table.tsx";
import { Money } from "../../kit/money.tsx";
import { Section } from "../../kit/page.tsx";
import { Empty } from "../../kit/states.tsx";
import classes from "./lines-tab.module.css";
import { pathOf, useCampaign } from "./use-campaign.ts";

export function Component() {
  const campaign = useCampaign();
  const at = pathOf(campaign);
  const { canChange } = useAbility();
  const analytics = useRead("GET /campaigns/{campaign_id}/analytics/creatives", at);
  const creatives = useRead("GET /campaigns/{campaign_id}/creatives", at);
  const affinities = useRead("GET /campaigns/{campaign_id}/analytics/affinities", at);
  const write = canChange && (
    <Button component={Link} to={`/campaigns/${campaign.id}/creatives/new`} variant="default">
      Write a creative
    </Button>
  );
  const lineOf = (id: string) => {
    const creative = creatives.data?.find((one) => one.id === id);
    return (
      creative &&
      (creative.narrative_hook ?? creative.alt_hooks[0] ?? creative.tagline ?? creative.brand_name)
    );
  };
  return (
    <>
      <Section title="Creatives" actions={write}>
        <DataTable
          label="Creatives"
          rows={creatives.data && analytics.data?.creatives}
          rowKey={({ creative_id: id }) => id}
          rowTo={({ creative_id: id }) => `/campaigns/${campaign.id}/creatives/${id}`}
          error={analytics.error ?? creatives.error}
          onRetry={() => void Promise.all([analytics.refetch(), creatives.refetch()])}
          empty={
            <Empty line="The page is still blank." action={write}>
              A creative is what players read: a line of dialogue, a mention, a place, a character.
            </Empty>
          }
          columns={[
            {
              key: "line",
              header: "Line",
              phone: "title",
              value: ({ creative_id: id }) => lineOf(id) ?? "(deleted)",
              cell: ({ creative_id: id }) => (
                <span className={classes.line}>{lineOf(id) ?? "A creative that was deleted"}</span>
              ),
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
              key: "type",
              header: "Type",
              value: ({ creative_type: type }) => formatTerm(type),
              cell: ({ creative_type: type }) => formatTerm(type),
            },
            {
              key: "brand",
              header: "Brand",
              value: ({ brand_name: brand }) => brand,
              cell: ({ brand_name: brand }) => brand,
            },
            {
              key: "players",
              header: "Unique players",
              align: "right",
              value: ({ unique_users: players }) => players,
              cell: ({ unique_users: players }) => formatCount(players),
            },
            {
              key: "score",
              header: "Fit",
              help: "Mean affinity score of its impressions: how well the scenes fitted.",
              align: "right",
              value: ({ avg_affinity_score: score }) => score,
              cell: ({ avg_affinity_score: score }) => formatDecimal(score),
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
      <Section
        title="Affinities"
        about="Words of a scene that lift the campaign's rank, and how often they did. Change them under “Where may it appear?”."
      >
        <DataTable
          label="Affinities"
          name="affinities"
          rows={affinities.data?.affinities}
          rowKey={({ affinity_id: id }) => id}
          error={affinities.error}
          onRetry={() => void affinities.refetch()}
          empty={
            <Empty
              line="Any scene is as good as another."
              action={
                canChange && (
                  <Button component={Link} to={`/campaigns/${campaign.id}/targeting`} variant="default">
                    Add affinities
                  </Button>
                )
              }
            >
              Affinities make the campaign win more often in scenes that suit it, and colour the scene.
            </Empty>
          }
          columns={[
            {
              key: "value",
              header: "Affinity",
              phone: "title",
              value: ({ affinity_type: type, affinity_value: value }) => `${type}: ${value}`,
              cell: ({ affinity_type: type, affinity_value: value }) => `${formatTerm(type)}: ${value}`,
            },
            {
              key: "rate",
              header: "Match rate",
              help: "The part of the campaign's impressions that it contributed to, of those since it was created.",
              align: "right",
              phone: "fact",
              value: ({ match_rate: rate }) => rate,
              cell: ({ match_rate: rate }) => formatShare(rate),
            },
            {
              key: "weight",
              header: "Weight",
              align: "right",
              value: ({ weight }) => weight,
              cell: ({ weight }) => formatDecimal(weight),
            },
            {
              key: "contribution",
              header: "Mean contribution",
              align: "right",
              value: ({ avg_score_contribution: score }) => score,
              cell: ({ avg_score_contribution: score }) => formatDecimal(score),
            },
            {
              key: "influenced",
              header: "Impressions influenced",
              align: "right",
              phone: "fact",
              value: ({ impressions_influenced: count }) => count,
              cell: ({ impressions_influenced: count }) => formatCount(count),
            },
          ]}
        />
      </Section>
    </>
  );
}
