import { Anchor, Card, Group, Stack, Text } from "@mantine/core";
import { Link } from "react-router";
import { useAbility } from "../../api/session.ts";
import { formatCount } from "../../format/format.ts";
import { Section } from "../../kit/page.tsx";
import { Status } from "../../kit/status.tsx";
import type { Attention } from "./attention.ts";
import classes from "./attention-list.module.css";

/** The most urgent; an account may have thousands of campaigns. */
const MAX_ITEMS = 10;

interface AttentionListProps {
  items: Attention[];
  /** Whether every read that can add an item was answered. */
  isComplete: boolean;
  /** Why nothing is served although nothing needs attention. */
  rest: string | undefined;
}

/** What keeps campaigns from doing their work, each with what mends it. */
export function AttentionList({ items, isComplete, rest }: AttentionListProps) {
  const { canChange } = useAbility();
  if (items.length === 0) {
    if (!isComplete) return null;
    return (
      <Card padding="sm" px="lg">
        {rest === undefined ? (
          <Status tone="positive">Nothing needs attention.</Status>
        ) : (
          <Group justify="space-between" gap="md">
            <Status tone="quiet">
              <span className={classes.cause}>{rest}</span>
            </Status>
            <Anchor component={Link} to="/campaigns" className={classes.fix ?? ""}>
              Show campaigns
            </Anchor>
          </Group>
        )}
      </Card>
    );
  }
  return (
    <Section title="Needs attention">
      <ul className={classes.attention}>
        {items.slice(0, MAX_ITEMS).map(({ key, tone, what, cause, fix }) => (
          <li key={key}>
            <Group justify="space-between" wrap="nowrap" gap="md">
              <Stack gap={2} miw={0}>
                <Text fw={600} className={classes.what ?? ""}>
                  {what}
                </Text>
                <Status tone={tone}>
                  <Text span c="dimmed" className={classes.cause ?? ""}>
                    {cause}
                  </Text>
                </Status>
              </Stack>
              {(canChange || fix.isForViewers) && (
                <Anchor component={Link} to={fix.to} className={classes.fix ?? ""}>
                  {fix.label}
                </Anchor>
              )}
            </Group>
          </li>
        ))}
      </ul>
      {items.length > MAX_ITEMS && (
        <Text mt="xs" c="dimmed">
          And {formatCount(items.length - MAX_ITEMS)} more.{" "}
          <Anchor component={Link} to="/campaigns">
            See all campaigns
          </Anchor>
        </Text>
      )}
    </Section>
  );
}
