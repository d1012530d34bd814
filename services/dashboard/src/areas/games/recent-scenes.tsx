import { Card, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { useRead } from "../../api/queries.ts";
import { ButtonLink } from "../../kit/button-link.tsx";
import { Section } from "../../kit/page.tsx";
import { Failed } from "../../kit/states.tsx";
import { reasonAdvice } from "./reason-advice.ts";
import { distinctScenes, sceneSummary, testerPath } from "./scene-link.ts";

const SHOWN_SCENES = 6;

/** Scenes that got no ad, for the match tester to begin with. */
export function RecentScenes() {
  const scenes = useRead("GET /no-match-scenes");
  if (scenes.data === undefined && scenes.error) {
    return <Failed isCard what="The recent scenes could not be loaded." read={scenes} />;
  }
  if (scenes.data === undefined || scenes.data.length === 0) return null;
  return (
    <Section
      title="Begin with a scene that got no ad"
      about="Recent scenes of your games, without their players."
    >
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {distinctScenes(scenes.data)
          .slice(0, SHOWN_SCENES)
          .map((scene) => (
            <Card key={testerPath(scene)} padding="md">
              <Stack gap={8}>
                <Text fw={600}>{sceneSummary(scene.game_context)}</Text>
                <Text c="dimmed" fz="xs">
                  {scene.game_id} · {reasonAdvice(scene.reason).label}
                </Text>
                <Group>
                  <ButtonLink
                    to={testerPath(scene)}
                    variant="default"
                    size="compact-sm"
                    aria-label={`Use this scene: ${sceneSummary(scene.game_context)}`}
                  >
                    Use this scene
                  </ButtonLink>
                </Group>
              </Stack>
            </Card>
          ))}
      </SimpleGrid>
    </Section>
  );
}
