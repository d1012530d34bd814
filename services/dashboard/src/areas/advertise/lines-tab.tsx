import { useRead } from "../../api/queries.ts";
import { useAbility } from "../../api/session.ts";
import { formatDecimal, formatTerm } from "../../format/format.ts";
import { ButtonLink } from "../../kit/button-link.tsx";
import { TableSection } from "../../kit/data-table.tsx";
import { Empty } from "../../kit/states.tsx";
import { firstLine } from "./first-line.ts";
import classes from "./lines-tab.module.css";
import { MOVING, pathOf, useCampaign } from "./use-campaign.ts";

export function Component() {
  const campaign = useCampaign();
  const at = pathOf(campaign);
  const { canChange } = useAbility();
  const analytics = useRead("GET /campaigns/{campaign_id}/analytics/creatives", at, MOVING);
  const creatives = useRead("GET /campaigns/{campaign_id}/creatives", at);
  const affinities = useRead("GET /campaigns/{campaign_id}/analytics/affinities", at, MOVING);
  const write = canChange && (
    <ButtonLink to={`/campaigns/${campaign.id}/creatives/new`} variant="default">
      Write a creative
    </ButtonLink>
  );
  const lineOf = (id: string) => {
    const creative = creatives.data?.find((one) => one.id === id);
    return creative && firstLine(creative);
  };
  return (
    <>
      <TableSection
        title="Creatives"
        actions={analytics.data?.creatives.length !== 0 && write}
        read={{
          error: analytics.error ?? creatives.error,
          refetch: () => Promise.all([analytics.refetch(), creatives.refetch()]),
        }}
        rows={creatives.data && analytics.data?.creatives}
        rowKey={({ creative_id: id }) => id}
        rowTo={({ creative_id: id }) => `/campaigns/${campaign.id}/creatives/${id}`}
        empty={
          <Empty line="The page is still blank." action={write}>
            A creative is what players read: a line of dialogue, a mention, a place, a character.
          </Empty>
        }
        columns={(make) => [
          make.text("line", "Line", ({ creative_id: id }) => lineOf(id) ?? "(deleted)", {
            phone: "title",
            cell: ({ creative_id: id }) => (
              <span className={classes.line}>{lineOf(id) ?? "A creative that was deleted"}</span>
            ),
          }),
          make.number("impressions", "Impressions", ({ impressions }) => impressions, { phone: "fact" }),
          make.text("type", "Type", ({ creative_type: type }) => formatTerm(type)),
          make.name("brand", "Brand", ({ brand_name: brand }) => brand, { isAside: true }),
          make.number("players", "Unique players", ({ unique_users: players }) => players),
          make.number("score", "Fit", ({ avg_affinity_score: score }) => score, {
            help: "Mean affinity score of its impressions: how well the scenes fitted.",
            format: formatDecimal,
          }),
          make.exactMoney(
            "spend",
            "Spend",
            ({ spent_millicents: spent }) => spent,
            analytics.data?.creatives,
            {
              phone: "fact",
            },
          ),
        ]}
      />
      <TableSection
        title="Affinities"
        about="Words of a scene that lift the campaign's rank, and how often they did. Change them under “Where may it appear?”."
        name="affinities"
        read={affinities}
        rows={affinities.data?.affinities}
        rowKey={({ affinity_id: id }) => id}
        empty={
          <Empty
            line="Any scene is as good as another."
            action={
              canChange && (
                <ButtonLink to={`/campaigns/${campaign.id}/targeting`} variant="default">
                  Add affinities
                </ButtonLink>
              )
            }
          >
            Affinities make the campaign win more often in scenes that suit it, and colour the scene.
          </Empty>
        }
        columns={(make) => [
          make.text(
            "value",
            "Affinity",
            ({ affinity_type: type, affinity_value: value }) => `${formatTerm(type)}: ${value}`,
            { phone: "title" },
          ),
          make.share("rate", "Match rate", ({ match_rate: rate }) => rate, {
            help: "The part of the campaign's impressions that it contributed to, of those since it was created.",
            phone: "fact",
          }),
          make.number("weight", "Weight", ({ weight }) => weight, { format: formatDecimal }),
          make.number("contribution", "Mean contribution", ({ avg_score_contribution: score }) => score, {
            format: formatDecimal,
          }),
          make.number("influenced", "Impressions influenced", ({ impressions_influenced: count }) => count, {
            phone: "fact",
          }),
        ]}
      />
    </>
  );
}
