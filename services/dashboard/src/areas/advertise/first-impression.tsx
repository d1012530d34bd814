import { Anchor, Card, Group, Stack, Text } from "@mantine/core";
import { Link } from "react-router";
import { Status } from "../../kit/status.tsx";
import { type CampaignSummary, campaignState } from "./campaign-state.ts";

interface FirstImpressionProps {
  campaigns: readonly CampaignSummary[];
  balanceCents: number;
}

/** What comes after a first activation: nothing is seen here until a game has shown a line. */
export function FirstImpression({ campaigns, balanceCents }: FirstImpressionProps) {
  const stateOf = (campaign: CampaignSummary) => campaignState(campaign, balanceCents, Date.now());
  const all = campaigns.filter(({ status }) => status === "active");
  const active = all.find((campaign) => stateOf(campaign).word === "Active") ?? all[0];
  if (active === undefined) return null;
  const { word, tone, cause } = stateOf(active);
  return (
    <Card padding="sm" px="lg">
      <Group justify="space-between" gap="sm">
        <Stack gap={2} miw={0}>
          <Text fw={600} style={{ overflowWrap: "anywhere" }}>
            {active.name}
          </Text>
          {word === "Active" ? (
            <>
              <Status tone="info">Waits for its first impression</Status>
              <Text c="dimmed" fz="xs" pl={16}>
                It begins with the next scene that fits; the charts move a few seconds later.
              </Text>
            </>
          ) : (
            <>
              <Status tone={tone}>{word}</Status>
              <Text c="dimmed" fz="xs" pl={16}>
                {cause}.
              </Text>
            </>
          )}
        </Stack>
        <Anchor component={Link} to={`/campaigns/${active.campaign_id}/simulator`}>
          See how it looks in a game
        </Anchor>
      </Group>
    </Card>
  );
}
