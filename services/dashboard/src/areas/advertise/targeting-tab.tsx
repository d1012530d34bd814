import { Alert, Anchor, List, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link } from "react-router";
import { useRead } from "../../api/queries.ts";
import { useAbility } from "../../api/session.ts";
import { Affinities } from "./affinities.tsx";
import { Blocklist } from "./blocklist.tsx";
import { GeoTargets } from "./geo-targets.tsx";
import { targetingWarnings } from "./targeting-warnings.ts";
import { type Campaign, pathOf, useCampaign } from "./use-campaign.ts";

/** The two filters of scenes, which are set elsewhere. */
function filterSummary({ target_categories: categories, target_tags: tags }: Campaign): string {
  const which = (values: readonly string[]) => (values.length === 0 ? "any" : values.join(", "));
  return `Categories of scenes: ${which(categories)}. Tags of scenes: ${which(tags)}.`;
}

const loadShapes = async () => (await import("../../map/country-shapes.ts")).countryShapes;

/** Where the campaign may appear, which words lift it, and which games it avoids. */
export function Component() {
  const campaign = useCampaign();
  const { canChange } = useAbility();
  const at = pathOf(campaign);
  const geo = useRead("GET /campaigns/{campaign_id}/geo-targets", at);
  const rules = useRead("GET /campaigns/{campaign_id}/blocklist", at);
  const affinities = useRead("GET /campaigns/{campaign_id}/affinities", at);
  const words = useRead("GET /market/words");
  const shapes = useQuery({ queryKey: ["country shapes"], queryFn: loadShapes, staleTime: Infinity });
  const warnings = useMemo(
    () =>
      geo.data && rules.data && affinities.data
        ? targetingWarnings(campaign, geo.data, rules.data, affinities.data, words.data, shapes.data)
        : [],
    [campaign, geo.data, rules.data, affinities.data, words.data, shapes.data],
  );
  return (
    <>
      <Text c="dimmed">
        {canChange && campaign.status === "active" && (
          <>
            The campaign is active: what you add or remove here acts at once.
            <br />
          </>
        )}
        {filterSummary(campaign)}{" "}
        <Anchor component={Link} to={`/campaigns/${campaign.id}/settings`}>
          {canChange ? "Change both filters" : "See both filters"}
        </Anchor>
      </Text>
      <GeoTargets read={geo} />
      {warnings.length > 0 && (
        <Alert role="status" color="warning" title="Worth knowing">
          <List spacing={4} size="sm">
            {warnings.map((warning) => (
              <List.Item key={warning}>{warning}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      <Affinities read={affinities} />
      <Blocklist read={rules} />
    </>
  );
}
